/** Amazon DynamoDB answers that it refuses an operation. */
export class TableError extends Error {
  /** `type` is that of the service, such as `ResourceNotFoundException`. */
  constructor(readonly type: string, message: string) {
    super(message);
    this.name = "TableError";
  }
}
