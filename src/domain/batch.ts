/** Calls that one tRPC request may hold. The pages send no more in one; the service takes no more. */
export const MAX_BATCH_CALLS = 12;
