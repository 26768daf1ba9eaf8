/** The gate's own tool server for messages to rooms. Only runs of documents can call it. */
export const MESSAGES_SERVER = 'messages'
export const SEND_TOOL = 'send_message'
export const SEND_TOOL_ID = `${MESSAGES_SERVER}__${SEND_TOOL}`
