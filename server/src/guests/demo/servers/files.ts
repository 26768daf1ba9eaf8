/**
 * The official filesystem server, found wherever npm put it. It serves the folder given as the only argument, to which paths
 * in calls are relative.
 */
import '@modelcontextprotocol/server-filesystem/dist/index.js'
