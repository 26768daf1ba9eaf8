import { startProtected } from './protected-server.suite.ts'

/** The protected tool server and its authorization server as a separate process; prints their addresses. */
const { url, issuer } = await startProtected()
console.log(JSON.stringify({ url, issuer }))
