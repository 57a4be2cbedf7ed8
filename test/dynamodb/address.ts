/** The URL of DynamoDB Local, or of another engine with the same API. Null if none is configured. */
export const address = process.env.DYNAMODB_LOCAL_URL || null;
