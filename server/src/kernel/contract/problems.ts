/** `says` states what is wrong, `do` what the reader can do about it. */
export type ProblemSpec = {
  readonly http: number
  readonly retry: 'never' | 'later'
  readonly says: string
  readonly do: string
}
export type ProblemTable = Readonly<Record<string, ProblemSpec>>

/**
 * Every expected failure that the kernel, the adapters and `main` know. A call ends only with one of these. Codes are public: add freely; never rename or
 * reuse (pinned in problems.test.ts).
 */
export const KERNEL_PROBLEMS = {
  'request.invalid': {
    http: 400,
    retry: 'never',
    says: 'the request does not have the expected format',
    do: 'correct the fields named in `paths`',
  },
  'request.not_ijson': {
    http: 400,
    retry: 'never',
    says: 'the text is not valid I-JSON (RFC 7493)',
    do: 'correct it at character `at`: syntax errors, duplicate keys, lone surrogates and numbers that a double cannot represent are not accepted',
  },
  'request.too_large': {
    http: 413,
    retry: 'never',
    says: 'the request is larger than the limit',
    do: 'send less than `limit` bytes',
  },
  'request.too_many_values': {
    http: 413,
    retry: 'never',
    says: "the request's JSON has too many values and field names",
    do: 'send at most `limit` values and field names in one request, for example by sending fewer rows at a time',
  },
  'request.malformed': {
    http: 400,
    retry: 'never',
    says: 'this is not a valid HTTP/1.1 request',
    do: 'use an HTTP client; `because` says what the parser found',
  },
  'request.headers_too_large': {
    http: 431,
    retry: 'never',
    says: 'the headers of the request are larger than the limit',
    do: 'send less than `limit` bytes of headers',
  },
  'request.too_slow': {
    http: 408,
    retry: 'later',
    says: 'the request did not arrive in time',
    do: 'send the whole request without pausing; `listen.limits` in the configuration says how long the gate waits',
  },
  'request.foreign_host': {
    http: 403,
    retry: 'never',
    says: 'the `Host` or `Origin` of the request is not a name of this gate',
    do: 'use the address that the gate printed when it started, or add the name to `listen.hosts`',
  },
  'request.media_type': {
    http: 415,
    retry: 'never',
    says: 'the body is not declared as JSON',
    do: 'send `Content-Type: application/json`',
  },
  'request.not_acceptable': {
    http: 406,
    retry: 'never',
    says: 'the client accepts none of the content types that the gate can answer with',
    do: 'send `Accept: application/json, text/event-stream`',
  },
  'request.method_not_allowed': {
    http: 405,
    retry: 'never',
    says: 'this address does not support the HTTP method',
    do: 'use a method named in the `Allow` header',
  },
  'auth.not_configured': {
    http: 500,
    retry: 'never',
    says: 'the gate would accept connections from other machines, but no credentials exist yet',
    do: 'run `sluice keys create` first, configure `auth.oidc`, or listen on 127.0.0.1',
  },
  'auth.missing': {
    http: 401,
    retry: 'never',
    says: 'no credential was sent',
    do: 'send `Authorization: Bearer <key>`, or on the command line use `--key` or SLUICE_KEY; an admin creates keys with `sluice keys create`',
  },
  'auth.invalid': {
    http: 401,
    retry: 'never',
    says: 'the credential is unknown, expired or revoked',
    do: 'ask an admin for a new key',
  },
  'auth.unknown_issuer': {
    http: 401,
    retry: 'never',
    says: 'the token comes from an issuer that is not configured here',
    do: 'use a token from an issuer listed in `auth.oidc`, or an API key',
  },
  'auth.wrong_audience': {
    http: 401,
    retry: 'never',
    says: 'the token has a different audience, or none',
    do: 'ask the issuer for a token with the audience in `auth.oidc`',
  },
  'auth.expired': { http: 401, retry: 'never', says: 'the token has expired', do: 'ask the issuer for a new one' },
  'auth.not_yet_valid': {
    http: 401,
    retry: 'later',
    says: 'the token is not valid yet',
    do: 'wait, or correct the clock of the issuer or of the gate',
  },
  'auth.wrong_token': {
    http: 401,
    retry: 'never',
    says: 'this is not a bearer access token',
    do: 'send an access token of the issuer that is a JWT and is not bound to a client key; `why` says what is wrong with this one',
  },
  'auth.unmapped': {
    http: 403,
    retry: 'never',
    says: 'the token is valid, but no role is configured for its holder',
    do: 'ask an operator to map one of its claims to a role in `auth.oidc`',
  },
  'auth.issuer_unavailable': {
    http: 503,
    retry: 'later',
    says: "the issuer's keys could not be fetched, so its tokens cannot be checked",
    do: 'check that the issuer is reachable, then try again',
  },
  'auth.too_many_failures': {
    http: 429,
    retry: 'later',
    says: 'too many failed logins from this address',
    do: 'send a valid credential, which works at once; a wrong one is checked again after `retry_after_s` seconds',
  },
  'auth.login_failed': {
    http: 401,
    retry: 'never',
    says: 'you were not logged in',
    do: 'read `why`, then start again at the login page of the console',
  },
  'auth.login_unknown': {
    http: 403,
    retry: 'never',
    says: 'this browser did not begin this login, it was already completed, or it took longer than ten minutes',
    do: 'start again at the login page of the console; if you did not start one, close this page: somebody may have sent you their own login',
  },
  'auth.logins_busy': {
    http: 503,
    retry: 'later',
    says: 'too many logins are being completed at this moment; nothing was done',
    do: 'try again after `retry_after_s` seconds; the same login is still valid',
  },
  'auth.other_person': {
    http: 409,
    retry: 'never',
    says: 'somebody else is logged in in this browser, so nothing was changed',
    do: 'stay logged in as `here`, or log out (`DELETE /v1/login`) and then log in as `new`',
  },
  'auth.logged_out': {
    http: 401,
    retry: 'never',
    says: 'you are logged out',
    do: 'log in again',
  },
  'auth.csrf': {
    http: 403,
    retry: 'never',
    says: 'the request does not come from a page of this gate',
    do: 'send the `csrf` value from `GET /v1/login` in the header `x-csrf-token`, from the same origin as the page',
  },
  'auth.forbidden': {
    http: 403,
    retry: 'never',
    says: 'this caller may not do that',
    do: 'use a credential of one of the kinds listed in `needs`',
  },
  'route.unknown': {
    http: 404,
    retry: 'never',
    says: 'there is nothing at this address',
    do: 'see /openapi.json for the available routes',
  },

  'request.bad_cursor': {
    http: 400,
    retry: 'never',
    says: 'the cursor is not valid',
    do: 'pass the `next` value of the previous page as `after`, or leave it out to start at the beginning',
  },
  'request.key_reused': {
    http: 409,
    retry: 'never',
    says: 'the idempotency key was used for another request',
    do: 'use a new key for a new request',
  },
  'request.key_spent': {
    http: 409,
    retry: 'never',
    says: 'a request with this idempotency key was already accepted, and its answer is no longer stored',
    do: 'check whether it took effect; if it did not, send it again with a new key',
  },
  'request.replayed': {
    http: 409,
    retry: 'never',
    says: 'this request was already received',
    do: 'send a new request with a new id',
  },
  'stream.too_many': {
    http: 429,
    retry: 'later',
    says: 'too many streams are open',
    do: 'close one of your streams; each caller may have `limit` open at once',
  },

  'tool.unknown': {
    http: 404,
    retry: 'never',
    says: 'no tool has this id',
    do: 'use the id in `did_you_mean` if there is one, or look for the tool with `tool_search` or `sluice tools`',
  },
  'server.unknown': {
    http: 404,
    retry: 'never',
    says: 'no tool server has this name',
    do: 'use one of the names in `known`, or list the servers with `sluice servers`',
  },
  'tool.client_only': {
    http: 409,
    retry: 'never',
    says: 'this is a built-in tool of a coding agent, which runs it itself',
    do: 'let the agent use it; its hook asks the gate (server/src/guests/hooks/README.md)',
  },
  'tool.gone': {
    http: 410,
    retry: 'never',
    says: 'the tool server no longer offers this tool',
    do: 'list the tools with `sluice tools`',
  },
  'tool.unadmitted': {
    http: 409,
    retry: 'never',
    says: 'this tool has not been admitted yet, so it has no card',
    do: 'read its definition with `sluice tools diff TOOL`, then admit it with `sluice admit TOOL HASH`',
  },
  'tool.hash_differs': {
    http: 409,
    retry: 'never',
    says: "the tool's definition is no longer the one with this hash",
    do: 'read the current definition, then admit its hash',
  },
  'tool.failed': {
    http: 502,
    retry: 'never',
    says: 'the tool ran and reported an error',
    do: 'read the result and correct the arguments before you try again',
  },
  'read.unknown': {
    http: 404,
    retry: 'never',
    says: 'no tool server here has this resource or prompt',
    do: 'list the resources or prompts and use a name from the list',
  },
  'tool.asks': {
    http: 422,
    retry: 'never',
    says: 'the tool asks for more input before it continues',
    do: 'call it again with the same arguments, and with its `state` and your `responses` (keyed by the names of its questions) in `sluice/inputs`',
  },
  'watch.not_offered': {
    http: 404,
    retry: 'never',
    says: 'the tool server does not report changes of its resources',
    do: 'read the resource again when you need it',
  },
  'watch.too_many': {
    http: 429,
    retry: 'later',
    says: 'you are watching too many resources',
    do: 'unsubscribe from some; each caller may watch `limit` at once',
  },
  'read.needs_person': {
    http: 403,
    retry: 'never',
    says: "this needs a person's approval, and reading a resource or prompt cannot wait for one",
    do: 'an operator can allow it with a rule for the tool `<server>__resources/read` or `<server>__prompts/get`',
  },
  'tool.unavailable': {
    http: 503,
    retry: 'later',
    says: 'the tool server could not be reached, so nothing was run',
    do: 'check the server with `sluice servers`, then try again',
  },
  'tool.login_needed': {
    http: 403,
    retry: 'later',
    says: 'the tool server requires a login first, so nothing was run',
    do: 'open the address in `url`, or run `sluice servers login SERVER`; then try again',
  },
  'tool.timeout': {
    http: 504,
    retry: 'never',
    says: 'the tool did not answer in time',
    do: 'raise `timeout_ms` of the server, or settle the call with `sluice settle`',
  },
  'tool.cancelled': {
    http: 502,
    retry: 'never',
    says: 'the call was cancelled while the tool ran; whether it took effect is unknown',
    do: 'check what the tool did, then settle the call with `sluice settle`',
  },
  'tool.broke_off': {
    http: 502,
    retry: 'never',
    says: 'the connection to the tool server was lost during the call',
    do: 'check whether it took effect, then settle the call with `sluice settle`',
  },
  'tool.garbled': {
    http: 502,
    retry: 'never',
    says: 'the tool server answered with something that is not a tool result',
    do: "check the server's log",
  },
  'tool.too_large': {
    http: 502,
    retry: 'never',
    says: "the tool's answer is larger than the limit",
    do: 'ask the tool for less, or raise `output_limit` of the server',
  },

  'tool.output_invalid': {
    http: 502,
    retry: 'never',
    says: 'the tool ran, but its answer does not match its own output schema',
    do: 'assume that the call took effect; report the answer to the operator of the server',
  },

  'call.unknown': {
    http: 404,
    retry: 'never',
    says: 'no call has this id',
    do: 'check the id; calls of other callers are not shown',
  },
  'call.expired': {
    http: 410,
    retry: 'never',
    says: 'the answer of this call was deleted after its retention time',
    do: 'the call was already made with this idempotency key; use a new key to make it again',
  },
  'call.args_invalid': {
    http: 400,
    retry: 'never',
    says: "the arguments do not match the tool's schema",
    do: 'correct the arguments named in `paths`',
  },
  'call.integrity_mismatch': {
    http: 403,
    retry: 'never',
    says: 'the canonical form or hash that the caller sent does not match the arguments',
    do: 'send only the arguments, or correct the RFC 8785 code of the caller',
  },
  'call.blocked': {
    http: 403,
    retry: 'never',
    says: 'the gate blocks this call',
    do: 'do not retry; the evidence names the rule or the pause, and only an operator can change it',
  },
  'call.over_budget': {
    http: 429,
    retry: 'later',
    says: 'a budget that covers this call is used up',
    do: 'try again after `frees_at`; an operator can change the budget that `rules` names',
  },
  'call.contended': {
    http: 503,
    retry: 'later',
    says: 'the call could not be recorded, because something that it depends on kept changing',
    do: 'try again in a moment',
  },
  'call.dry_run_failed': {
    http: 409,
    retry: 'never',
    says: 'the dry run failed, so nothing was executed',
    do: 'correct what the preview reports',
  },
  'call.check_failed': {
    http: 409,
    retry: 'never',
    says: 'the check before the call failed, so nothing was executed',
    do: 'meet the condition that the check requires; `says` names it',
  },
  'call.no_dry_run': {
    http: 400,
    retry: 'never',
    says: 'this tool has no dry run',
    do: 'leave `dry_run` out, or declare one in the configuration',
  },
  'call.interrupted': {
    http: 502,
    retry: 'never',
    says: 'the gate stopped while the tool was running, so it is not known whether the call took effect',
    do: 'check whether it took effect, then settle the call with `sluice settle`',
  },
  'call.not_retried': {
    http: 502,
    retry: 'never',
    says: 'the retry was not made, and it is not known whether the earlier attempt took effect',
    do: 'check whether it took effect; if the call is still unknown, settle it with `sluice settle`',
  },
  'call.unanswered': {
    http: 502,
    retry: 'later',
    says: 'the tool did not answer; repeating the call does no harm, because the tool only reads or is idempotent',
    do: 'make the call again',
  },
  'call.read_interrupted': {
    http: 502,
    retry: 'later',
    says: 'the gate stopped while the tool was running; the tool only reads, so nothing was changed',
    do: 'make the call again',
  },
  'call.not_unknown': {
    http: 409,
    retry: 'never',
    says: 'only a call whose outcome is unknown can be settled',
    do: 'nothing to settle: `state` is the current state of the call',
  },
  'call.not_pending': {
    http: 409,
    retry: 'never',
    says: 'only a held call can be withdrawn',
    do: 'nothing to withdraw: `state` is the current state of the call',
  },
  'task.unknown': {
    http: 404,
    retry: 'never',
    says: 'no task of yours has this id',
    do: 'use the `taskId` from the answer to the call, with the same API key',
  },
  'task.over': {
    http: 409,
    retry: 'never',
    says: 'the task has ended and cannot be cancelled',
    do: 'read its result',
  },
  'task.not_stopped': {
    http: 503,
    retry: 'later',
    says: 'the task could not be stopped',
    do: 'read its status, and cancel it again if it is still running',
  },
  'call.key_reused': {
    http: 409,
    retry: 'never',
    says: 'the idempotency key was used for another call',
    do: 'use a new key for new arguments',
  },
  'call.marked_failed': {
    http: 502,
    retry: 'never',
    says: 'a person marked the interrupted call as failed',
    do: 'call it again if it is still needed',
  },

  'call.too_much_stored': {
    http: 429,
    retry: 'later',
    says: 'the calls of this caller have reached the limit of stored data for this hour',
    do: 'try again after `retry_after_s` seconds, and request less data per call',
  },
  'approval.too_many_pending': {
    http: 429,
    retry: 'later',
    says: 'this caller has reached its limit of pending requests, by number or by size',
    do: 'wait until one of them is decided or expires, or withdraw one; `approvals.pending_per_caller` and `pending_bytes_per_caller` set the limits',
  },
  'approval.unknown': {
    http: 404,
    retry: 'never',
    says: 'no approval has this id',
    do: 'list the pending requests with `sluice approvals`',
  },
  'approval.not_pending': {
    http: 409,
    retry: 'never',
    says: 'the request was already decided',
    do: 'nothing to do: only the first decision counts; see it with `sluice approvals show ID`',
  },
  'approval.changed': {
    http: 409,
    retry: 'never',
    says: 'the request changed after it was shown to you',
    do: 'read the request again and send the `digest` that is shown now',
  },
  'approval.not_shown': {
    http: 409,
    retry: 'never',
    says: 'a part of the request was not shown, so it was not approved',
    do: 'show every text listed in `foldable` in full and send their ids as `unfolded`, or decide in the console',
  },
  'approval.not_editable': {
    http: 409,
    retry: 'never',
    says: 'the inputs of a retry cannot be edited: with other inputs it would be another call',
    do: 'approve or deny it as it is; the agent can make another call',
  },
  'approval.expired': {
    http: 410,
    retry: 'never',
    says: 'the approval expired before it was used',
    do: 'make the call again',
  },
  'approval.args_changed': {
    http: 409,
    retry: 'never',
    says: 'the arguments about to run are not the approved ones',
    do: 'make the call again',
  },
  'approval.signature_invalid': {
    http: 403,
    retry: 'never',
    says: 'the token was not issued for this request',
    do: 'ask for a new token',
  },
  'approval.used': {
    http: 409,
    retry: 'never',
    says: 'the approval was already used',
    do: 'make the call again if it should run twice',
  },
  'approval.token_too_weak': {
    http: 409,
    retry: 'never',
    says: 'no token can be issued for a request of this approval strength',
    do: 'an approver has to decide it; for strong requests an operator can set `approvals.tokens: strong`',
  },
  'approval.wrong_thread': {
    http: 403,
    retry: 'never',
    says: 'the token belongs to another session',
    do: 'answer in the session in which the call was made',
  },
  'approval.wrong_user': {
    http: 403,
    retry: 'never',
    says: 'the token was issued to another user',
    do: 'the user of the session must answer',
  },
  'approval.denied': {
    http: 403,
    retry: 'never',
    says: 'a person denied the call',
    do: 'do not repeat it; ask the user what to do instead',
  },
  'approval.withdrawn': {
    http: 410,
    retry: 'never',
    says: 'the request was withdrawn',
    do: 'make the call again if it is still needed',
  },
  'approval.stale': {
    http: 409,
    retry: 'never',
    says: 'the tool or the policy changed after the approval',
    do: 'make the call again, so that a person decides about the current state',
  },
  'approval.not_asked': {
    http: 403,
    retry: 'never',
    says: 'only other people can decide this request',
    do: 'a member of `group` must decide it, or delegate to you; `sluice approvals show ID` names the members',
  },
  'approval.decided_for_you': {
    http: 409,
    retry: 'never',
    says: 'somebody else has already decided for the same person',
    do: 'nothing to do: each person counts once',
  },
  'delegation.invalid': {
    http: 400,
    retry: 'never',
    says: 'this delegation is not possible',
    do: 'correct what `because` names',
  },
  'delegation.unknown': {
    http: 404,
    retry: 'never',
    says: 'there is no such delegation, or it has ended',
    do: 'list them with `sluice delegations`',
  },
  'approval.own_request': {
    http: 403,
    retry: 'never',
    says: 'you cannot approve your own request if several people or a group are asked',
    do: 'ask another approver',
  },
  'approval.already_decided_by_you': {
    http: 409,
    retry: 'never',
    says: 'the second approval must come from another person',
    do: 'ask another approver',
  },

  'approval.passkey_needed': {
    http: 403,
    retry: 'never',
    says: 'this must be confirmed with your passkey',
    do: 'do it in the console, where your browser asks for the passkey; another admin can remove a lost passkey',
  },
  'passkey.none': {
    http: 404,
    retry: 'never',
    says: 'you have no passkey here',
    do: "add one in the console's settings",
  },
  'passkey.unknown': {
    http: 404,
    retry: 'never',
    says: 'there is no such passkey',
    do: 'list your passkeys in the settings of the console',
  },
  'passkey.too_many': {
    http: 409,
    retry: 'never',
    says: 'you have reached the limit of passkeys for one person',
    do: 'ask another admin to remove one that you no longer use',
  },
  'passkey.not_genuine': {
    http: 403,
    retry: 'never',
    says: 'this passkey was not accepted',
    do: 'request a new challenge and use your own passkey on this page; a challenge is valid for two minutes and one use',
  },
  'approval.typed_needed': {
    http: 403,
    retry: 'never',
    says: 'the text that a strong approval requires was not typed, or is different',
    do: 'type the text that the request names: send `sentence.confirm` as `typed`, or use `--typed`; each request of a batch needs its own',
  },
  'approval.passphrase_needed': {
    http: 403,
    retry: 'never',
    says: 'this must be confirmed with your passphrase',
    do: 'send it as `passphrase`; the command line and the console ask for it',
  },
  'approval.passphrase_wrong': {
    http: 403,
    retry: 'never',
    says: 'the passphrase is wrong',
    do: 'try again; `tries_left` says how often',
  },
  'approval.passphrase_unset': {
    http: 403,
    retry: 'never',
    says: 'strong approvals and permissions require a passphrase here, and you have not set one',
    do: 'set one with `sluice passphrase set`',
  },
  'approval.passphrase_locked': {
    http: 429,
    retry: 'later',
    says: 'too many wrong passphrases',
    do: 'try again after `retry_after_s` seconds, or ask another approver',
  },

  'audit.unavailable': {
    http: 503,
    retry: 'later',
    says: 'refused: the call could not be recorded',
    do: 'free disk space or repair the store; the gate then continues by itself',
  },
  'audit.in_doubt': {
    http: 503,
    retry: 'later',
    says: 'the connection to the ledger was lost before it answered, so it is not known yet whether this was recorded',
    do: 'try again in a moment; the gate keeps asking the ledger, and accepts no calls until it knows',
  },
  'audit.seq_unknown': {
    http: 404,
    retry: 'never',
    says: 'there is no audit entry with this number',
    do: 'run `sluice audit verify` to see the number of the last entry',
  },
  'audit.not_signed_yet': {
    http: 409,
    retry: 'later',
    says: 'no checkpoint covers this entry yet',
    do: 'wait for the next checkpoint, or run `sluice audit checkpoint`',
  },
  'audit.not_broken': {
    http: 409,
    retry: 'never',
    says: 'the audit has no break to accept',
    do: 'nothing to do: the audit log matches its newest checkpoint',
  },
  'audit.broken': {
    http: 409,
    retry: 'never',
    says: 'the audit does not verify',
    do: 'run `sluice audit verify`, keep a copy of the data folder, then restore a backup or run `sluice audit accept-break`; see docs/operate/problems.md',
  },

  'mcp.message_invalid': {
    http: 400,
    retry: 'never',
    says: 'the body is not one JSON-RPC 2.0 message',
    do: 'send an object with `jsonrpc`, `method` and, for a request, an `id` that is a string or a whole number',
  },
  'mcp.batch_refused': {
    http: 400,
    retry: 'never',
    says: 'the body is a batch of several messages',
    do: 'send each message in its own request',
  },
  'mcp.version_unsupported': {
    http: 400,
    retry: 'never',
    says: 'this protocol version is not supported',
    do: 'use one of the versions in `supported`',
  },
  'mcp.envelope_invalid': {
    http: 400,
    retry: 'never',
    says: "the message's `_meta` lacks fields that this protocol version requires",
    do: 'correct the keys named in `keys`',
  },
  'mcp.header_mismatch': {
    http: 400,
    retry: 'never',
    says: 'a header is missing or contradicts the body',
    do: 'send the header named in `header` with the same value as in the body',
  },
  'mcp.event_unknown': {
    http: 400,
    retry: 'never',
    says: 'the stream named by `Last-Event-ID` is not stored here',
    do: 'leave the header out; `call_status` returns the outcome of a call',
  },
  'mcp.session_unknown': {
    http: 404,
    retry: 'never',
    says: 'the session is unknown, has ended, or belongs to another caller',
    do: 'start a new one with `initialize`',
  },
  'mcp.method_unknown': {
    http: 404,
    retry: 'never',
    says: 'the method is not supported',
    do: 'check the capabilities in the answer to `initialize` or `server/discover`',
  },
  'mcp.capability_missing': {
    http: 400,
    retry: 'never',
    says: 'the method requires a capability that the client did not declare',
    do: 'declare the capability named in `capability` in every request of this kind',
  },
  'mcp.params_invalid': {
    http: 400,
    retry: 'never',
    says: 'the parameters do not match the method',
    do: 'correct the fields named in `paths`',
  },

  'data.unusable': {
    http: 500,
    retry: 'never',
    says: 'the data folder cannot be used',
    do: 'give the user that runs the gate write access to it, or name another folder (`data:` or `--data`)',
  },
  'data.other_config': {
    http: 409,
    retry: 'never',
    says: 'this data folder belongs to another configuration',
    do: 'use that configuration (`--config`), or name another folder (`data:` or `--data`). To give the folder to this configuration, remove its file `gate.configuration`',
  },
  'data.absent': {
    http: 404,
    retry: 'never',
    says: 'there is no data folder yet',
    do: 'name the right configuration with `--config`; to create a new gate, start it once with `sluice up`, or add `--new-folder`',
  },
  'node.dead': {
    http: 503,
    retry: 'later',
    says: 'this node could not renew its lease, so the other nodes consider it dead; it accepts no calls and stops',
    do: 'start it again; if this happens often, check the connection to the database and the load of this machine',
  },
  'store.not_empty': {
    http: 409,
    retry: 'never',
    says: 'the schema of the database already contains the data of a gate; nothing was copied',
    do: 'name an empty schema with `--schema`, or remove the old one',
  },
  'store.not_moved': {
    http: 500,
    retry: 'never',
    says: 'the store could not be copied; nothing was changed',
    do: 'see the reason; `sluice doctor` checks the store that is to be copied',
  },
  'store.unreachable': {
    http: 503,
    retry: 'later',
    says: 'the database of this gate cannot be reached',
    do: 'check that the database is running, and the address and password in `store.postgres`',
  },
  'ledger.newer': {
    http: 500,
    retry: 'never',
    says: 'this data folder was written by a newer release of Sluice; nothing in it was changed',
    do: 'install that release again, or restore the backup from before the upgrade (docs/operate/backup-and-upgrade.md)',
  },
  'ledger.replaced': {
    http: 500,
    retry: 'never',
    says: 'the database was replaced: it was written by an earlier release, but the rows of this data folder already had MACs',
    do: 'restore a backup of the whole data folder (docs/operate/backup-and-upgrade.md)',
  },
  'ledger.foreign': {
    http: 500,
    retry: 'never',
    says: 'this file is a database, but not a Sluice ledger; nothing in it was changed',
    do: 'name another data folder (`data:` or `--data`), or move the file away',
  },
  'artifact.expired': {
    http: 410,
    retry: 'never',
    says: 'this artifact was deleted after its retention time',
    do: 'make the call again; see `retention` in docs/operate/configure.md',
  },
  'artifact.unknown': {
    http: 404,
    retry: 'never',
    says: 'no artifact has this address',
    do: "use the pointer from the call's result",
  },
  'config.invalid': {
    http: 500,
    retry: 'never',
    says: 'the configuration cannot be used',
    do: 'correct the line it names',
  },
  'config.not_trusted': {
    http: 403,
    retry: 'never',
    says: 'you have not trusted this configuration, so nothing was started',
    do: 'run `sluice up` in a terminal: it shows what it would start, and asks once. In a script, add `--trust` after you have read the file',
  },
  'config.trust_not_kept': {
    http: 500,
    retry: 'never',
    says: 'your trust in this configuration could not be recorded, so nothing was started',
    do: 'make sure that only you can access that folder, or start the gate with `sluice up --trust`',
  },
  'policy.invalid': {
    http: 400,
    retry: 'never',
    says: 'the policy has mistakes',
    do: 'correct the lines named in `faults`; docs/policy.md describes the policy language',
  },
  'policy.cases_invalid': {
    http: 400,
    retry: 'never',
    says: 'the test cases are not valid',
    do: 'correct the lines named in `faults`; docs/policy.md describes the format of a case',
  },
  'policy.changed': {
    http: 409,
    retry: 'never',
    says: 'the active policy is not the one this draft was compared with',
    do: 'compare the draft with the active policy, then activate it again',
  },
  'policy.not_writable': {
    http: 409,
    retry: 'never',
    says: 'the policy cannot be written from here',
    do: 'read `why`; change the policy file on the machine of the gate instead',
  },
  'policy.refused': {
    http: 409,
    retry: 'never',
    says: 'the policy file has mistakes; the previous policy stays in force',
    do: 'correct the lines named in `faults`; the gate reads the file again by itself',
  },
  'key.absent': {
    http: 500,
    retry: 'never',
    says: 'a signing key of this data folder is missing or too short',
    do: 'restore the keys folder from a backup, or run `sluice keys reset`',
  },
  'key.differs': {
    http: 500,
    retry: 'never',
    says: 'the keys in this data folder differ from those in the store',
    do: 'start this node with an empty data folder, or correct `store.postgres` and `store.schema`',
  },
  'key.not_shared': {
    http: 409,
    retry: 'never',
    says: 'the keys were not rotated, because other nodes would keep the old ones',
    do: 'set `store.key_secret` on every node, or stop the other nodes, rotate, and copy the keys folder to them',
  },
  'key.older': {
    http: 500,
    retry: 'never',
    says: 'the store has older keys than this node has used',
    do: 'somebody restored an old row of `keyring`, or an old backup of the database; see docs/operate/many-nodes.md',
  },
  'key.secret_wrong': {
    http: 500,
    retry: 'never',
    says: 'the keys in the store cannot be opened with `store.key_secret`',
    do: 'give every node the same secret of at least 32 random bytes',
  },
  'key.exhausted': {
    http: 403,
    retry: 'never',
    says: 'this key has used up its number of calls',
    do: 'ask an admin for a new key',
  },
  'key.other_spelling': {
    http: 409,
    retry: 'never',
    says: 'a valid key already exists for this user, with a different spelling of the name',
    do: 'use the spelling in `user`, or first revoke the keys with that spelling',
  },
  'key.unknown': {
    http: 404,
    retry: 'never',
    says: 'no key has this id',
    do: 'list the keys with `sluice keys list`',
  },
  'run.unknown': {
    http: 404,
    retry: 'never',
    says: 'no run has this id',
    do: 'list the runs that you can see with `sluice runs`',
  },
  'run.ended': {
    http: 409,
    retry: 'never',
    says: 'this run has ended',
    do: 'read the run to see how it ended',
  },
  'run.not_faulted': {
    http: 409,
    retry: 'never',
    says: 'only a faulted run can be resumed',
    do: "read the run's status first",
  },
  'run.cancelled': {
    http: 409,
    retry: 'never',
    says: 'this run was cancelled',
    do: 'start it again if it is still needed',
  },
  'call.secret_absent': {
    http: 409,
    retry: 'later',
    says: 'a secret that the call needs is missing',
    do: 'set the environment variable that `secrets` in the document names for `secret`, and restart the gate',
  },
  'consent.unknown': {
    http: 404,
    retry: 'never',
    says: 'no consent has this id',
    do: 'list the consents with `sluice consent list`',
  },
  'consent.too_many': {
    http: 409,
    retry: 'later',
    says: 'this actor has reached the limit of active consents',
    do: 'revoke one, or wait for one to expire or be used up; `limit` is the maximum',
  },
  'consent.not_rememberable': {
    http: 409,
    retry: 'never',
    says: 'this request cannot be remembered, because it is held by more than an ask rule of the policy',
    do: 'approve it without remembering; `rules` names the rules that hold it',
  },
  'consent.not_the_call': {
    http: 400,
    retry: 'never',
    says: 'the approved call does not match the argument constraints to remember',
    do: 'choose constraints that name every approved argument and match its value, or leave `args` out to remember the exact arguments',
  },
  'gate.running': {
    http: 409,
    retry: 'never',
    says: 'another gate is already running on this data folder',
    do: 'use that gate, or stop it first',
  },
  'gate.no_address': {
    http: 500,
    retry: 'never',
    says: 'the gate cannot listen at this address',
    do: 'stop the program that listens there, or choose another address: `listen.host`, `listen.port` or `--port`',
  },
  'gate.absent': {
    http: 503,
    retry: 'later',
    says: 'no gate is running on this data folder',
    do: 'start it with `sluice up`',
  },
  'gate.broke_off': {
    http: 502,
    retry: 'never',
    says: 'the connection to the gate was lost before it answered',
    do: 'the request was not retried; check whether it took effect before you repeat it',
  },
  'gate.stopping': {
    http: 503,
    retry: 'later',
    says: 'the gate is shutting down',
    do: 'try again when it has restarted',
  },
  internal: {
    http: 500,
    retry: 'later',
    says: 'internal error; the request was not completed',
    do: 'report it with the id in `incident`',
  },
  'hub.unreachable': {
    http: 503,
    retry: 'later',
    says: 'refused: the hub did not confirm the request for approval in time',
    do: 'make the call again when the hub can be reached; `why` says what happened, and so does `sluice doctor`',
  },
  'hub.untrusted': {
    http: 403,
    retry: 'never',
    says: 'refused: the answer about this request was not signed by the pinned key of the hub',
    do: 'compare `hub.public_keys` with `sluice hub key` at the hub; make the call again afterwards',
  },
  'hub.mismatch': {
    http: 409,
    retry: 'later',
    says: 'refused: the hub decided about another version of this request',
    do: 'make the call again: it is shown to the approvers as it is now',
  },
  'hub.decides': {
    http: 409,
    retry: 'never',
    says: 'this gate is a node: its approvals are decided at its hub',
    do: 'decide at the hub named in `hub`',
  },
  'node.only_there': {
    http: 409,
    retry: 'never',
    says: 'the call waits at a node, and this gate does not have its arguments',
    do: 'approve or deny it as it is shown, or do this at the node named in `node`',
  },
  'init.unknown_client': {
    http: 400,
    retry: 'never',
    says: 'there is no known client and no file with this name',
    do: 'name one of `clients`, or the path of a file that contains `mcpServers`',
  },
  'init.nothing_to_undo': {
    http: 404,
    retry: 'never',
    says: 'no client configuration was changed from this data folder, or everything was already undone',
    do: 'name the configuration that `sluice init --write` was run with (`--config`)',
  },
  'init.changed_since': {
    http: 409,
    retry: 'never',
    says: 'files were changed after `sluice init` wrote to them, so nothing was restored',
    do: 'copy what you need from the backups by hand, or undo the later changes first',
  },
  'init.client_not_written': {
    http: 500,
    retry: 'never',
    says: 'the file of a client could not be written, so none was changed',
    do: 'give yourself write access to that file and its folder, or leave this client out with `--from`',
  },
  'erase.needs_yes': {
    http: 400,
    retry: 'never',
    says: 'this deletes arguments, outputs and artifacts permanently',
    do: 'add `--yes`',
  },
  'clock.needs_yes': {
    http: 400,
    retry: 'never',
    says: 'this makes keys, consents and logins valid again that expired because of a wrong clock',
    do: 'run it in a terminal, which shows them and asks, or add `--yes`',
  },
  'init.needs_yes': {
    http: 400,
    retry: 'never',
    says: 'this changes the configuration files of other programs',
    do: 'add `--yes`, or `--dry-run` to see what would change',
  },
  'backup.exists': {
    http: 409,
    retry: 'never',
    says: 'a file with this name already exists; a backup never overwrites a file',
    do: 'choose another name for the backup',
  },
  'backup.not_written': {
    http: 500,
    retry: 'later',
    says: 'the backup could not be written; the incomplete file was deleted',
    do: 'read `why`; the folder must exist, be writable, and have enough free space',
  },
  'backup.unusable': {
    http: 400,
    retry: 'never',
    says: 'this backup cannot be restored here',
    do: 'name a file written by `sluice backup`, and a data folder that does not exist or is empty',
  },
} as const satisfies ProblemTable

/** What the codes of a table add to `Problems`. */
export type ProblemsIn<Table extends ProblemTable> = { readonly [Code in keyof Table]: ProblemSpec }

/** Every code of this build. A guest adds its own by declaration merging. */
export interface Problems extends ProblemsIn<typeof KERNEL_PROBLEMS> {}

export type KernelProblemCode = keyof typeof KERNEL_PROBLEMS
export type ProblemCode = keyof Problems

/**
 * Plain data, so it survives JSON, replay and workers. `about` contains ids, paths and limits; never secrets or argument values.
 */
export type Problem = {
  readonly code: ProblemCode
  readonly about: Readonly<Record<string, string>>
  /** Only with the codes of a guest, and not enumerable: a problem is compared, stored and sent as its code and what it is about. */
  readonly spec?: ProblemSpec
}
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const problem = (code: KernelProblemCode, about: Problem['about'] = {}): Problem => ({ code, about })
export const refuse = (code: KernelProblemCode, about: Problem['about'] = {}): Result<never> => ({
  ok: false,
  problem: { code, about },
})

/** How a guest makes problems of its own codes and of the kernel's. */
export function problemsOf<Table extends ProblemTable>(table: Table & Partial<Problems>) {
  const make = (code: (keyof Table & ProblemCode) | KernelProblemCode, about: Problem['about'] = {}): Problem =>
    withSpec({ code, about }, table[code])
  return {
    problem: make,
    refuse: (...given: Parameters<typeof make>): Result<never> => ({ ok: false, problem: make(...given) }),
  }
}

const withSpec = (made: Problem, spec: ProblemSpec | undefined): Problem =>
  spec === undefined ? made : Object.defineProperty(made, 'spec', { value: spec })

/** The same problem with other words about it. */
export const aboutWith = ({ code, spec }: Problem, about: Problem['about']): Problem => withSpec({ code, about }, spec)

/** What a problem means. A code that this build does not know is an internal error. */
export const specOf = ({ code, spec }: Problem): ProblemSpec =>
  spec ?? (Object.hasOwn(KERNEL_PROBLEMS, code) ? KERNEL_PROBLEMS[code as KernelProblemCode] : KERNEL_PROBLEMS.internal)

/** An impossible state. Thrown, never returned; doors answer `internal` with an incident id. */
export class Bug extends Error {
  override name = 'Bug'
}
