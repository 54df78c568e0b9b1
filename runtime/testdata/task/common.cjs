exports.handler = () => "cjs";
