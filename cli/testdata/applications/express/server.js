const express = require("express");

const app = express();
app.use(express.json());
app.set("x-powered-by", false);

const todos = [];

app.get("/todos", (req, res) => res.json(todos.filter(({ title }) => title.includes(req.query.q ?? ""))));

app.post("/todos", (req, res) => {
  if (typeof req.body?.title !== "string") return res.status(422).json({ error: "title is required" });
  const todo = { id: todos.length + 1, title: req.body.title };
  todos.push(todo);
  res.status(201).location(`/todos/${todo.id}`).json(todo);
});

app.get("/pixel.gif", (_req, res) => res.type("gif").send(Buffer.from("R0lGODlhAQABAAAAACw=", "base64")));

app.get("/failure", () => {
  throw new Error("out of order");
});

app.use((error, _req, res, _next) => res.status(500).send(error.message));

module.exports = app;
