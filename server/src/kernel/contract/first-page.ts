/** The request for the held calls that the console shows first. The gate and the console must agree on every character of it. */
export const HELD_PATH = '/v1/approvals?limit=200'
