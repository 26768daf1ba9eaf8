/** Bytes of one request, at every address. */
export const BODY_LIMIT = 1_048_576
