console.info("module loaded");
export const handler = async (event, context) => {
  console.log("%s begins", context.awsRequestId);
  await new Promise((resolve) => setTimeout(resolve, event.delay));
  console.warn("waited", { id: context.awsRequestId });
  console.debug("not written");
};
