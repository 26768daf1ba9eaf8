import { startProtected } from './protected-server.ts'

/** The protected tool server and its authorization server as a process of their own: prints where they are. */
const { url, issuer } = await startProtected()
console.log(JSON.stringify({ url, issuer }))
