"use strict";

const notes = { 1: "Buy bread" };

const response = (statusCode, body) => ({
  statusCode,
  headers: { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" },
  body: JSON.stringify(body),
});

module.exports.get = (event, context, callback) => {
  context.callbackWaitsForEmptyEventLoop = false;
  setInterval(() => {}, 60000);
  const note = notes[event.pathParameters.id];
  if (!note) return callback(null, response(404, { message: "Not found" }));
  callback(null, response(200, { note, stage: event.requestContext.stage }));
};

module.exports.create = (event, context, callback) => {
  let data;
  try {
    data = JSON.parse(event.body);
  } catch (error) {
    return callback(null, response(400, { message: "Malformed" }));
  }
  setTimeout(() => {
    if (data.fail) return callback(new Error("no space left"));
    callback(null, response(201, { note: data.note }));
  }, 5);
};
