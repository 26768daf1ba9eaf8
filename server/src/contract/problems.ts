type Spec = { readonly http: number; readonly retry: 'never' | 'later'; readonly says: string; readonly do: string }

/**
 * Every expected failure. Codes are public: add freely; never rename or reuse (pinned in problems.test.ts).
 * `says` states what is wrong, `do` what the reader can do about it.
 */
export const PROBLEMS = {
  'request.invalid': {
    http: 400,
    retry: 'never',
    says: 'the request does not have the expected shape',
    do: 'correct the fields named in `paths`',
  },
  'request.not_ijson': {
    http: 400,
    retry: 'never',
    says: 'the text is not I-JSON (RFC 7493)',
    do: 'send JSON without duplicate keys, lone surrogates, or numbers that a double cannot hold',
  },
  'request.too_large': {
    http: 413,
    retry: 'never',
    says: 'the request is larger than the limit',
    do: 'send less than `limit` bytes',
  },
  'request.malformed': {
    http: 400,
    retry: 'never',
    says: 'this is not a request as HTTP/1.1 writes one',
    do: 'use an HTTP client; `because` names what the parser found',
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
    do: 'send it at once; `listen.limits` in the configuration says how long the gate waits',
  },
  'request.foreign_host': {
    http: 403,
    retry: 'never',
    says: "the request was made under a name that is not this gate's",
    do: 'use the address the gate printed at its start, or add the name to `listen.hosts`',
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
    says: 'the sender takes none of the forms an answer could have',
    do: 'send `Accept: application/json, text/event-stream`',
  },
  'request.method_not_allowed': {
    http: 405,
    retry: 'never',
    says: 'this address does not know the HTTP method',
    do: 'use a method named in the `Allow` header',
  },
  'auth.not_configured': {
    http: 500,
    retry: 'never',
    says: 'the gate would listen beyond this machine, and nobody has been given a credential yet',
    do: 'run `sluice keys create` first, configure `auth.oidc`, or listen on 127.0.0.1',
  },
  'auth.missing': {
    http: 401,
    retry: 'never',
    says: 'no credential was sent',
    do: 'send `Authorization: Bearer <key>`; an admin creates keys with `sluice keys create`',
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
    says: 'the token is of an issuer this gate does not know',
    do: 'use a token of an issuer in `auth.oidc`, or a key',
  },
  'auth.wrong_audience': {
    http: 401,
    retry: 'never',
    says: 'the token was made for somebody else, or for nobody in particular',
    do: 'ask the issuer for a token with the audience in `auth.oidc`',
  },
  'auth.expired': { http: 401, retry: 'never', says: 'the token is expired', do: 'ask the issuer for a new one' },
  'auth.not_yet_valid': {
    http: 401,
    retry: 'later',
    says: 'the token is not valid yet',
    do: 'wait, or set the clocks of issuer and gate right',
  },
  'auth.unmapped': {
    http: 403,
    retry: 'never',
    says: 'the token is genuine, but nothing says what its holder may do here',
    do: 'an operator can map a claim of it in `auth.oidc`',
  },
  'auth.issuer_unavailable': {
    http: 503,
    retry: 'later',
    says: "the issuer's keys could not be fetched, so its tokens cannot be checked",
    do: 'see whether the issuer answers, then try again',
  },
  'auth.too_many_failures': {
    http: 429,
    retry: 'later',
    says: 'too many credentials from this address were wrong',
    do: 'try again after `retry_after_s` seconds, with a good key; the local socket is not limited',
  },
  'auth.forbidden': {
    http: 403,
    retry: 'never',
    says: 'this caller may not do that',
    do: 'use a credential of a kind named in `needs`',
  },
  'route.unknown': {
    http: 404,
    retry: 'never',
    says: 'there is nothing at this address',
    do: 'see /openapi.json for the addresses',
  },

  'request.bad_cursor': {
    http: 400,
    retry: 'never',
    says: 'the cursor is none that a page gave',
    do: 'pass the `next` of the page before as `after`, or start without one',
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
    says: 'a request under this key was taken before, and its answer is no longer kept',
    do: 'look whether it was done; if it was not, use a new key',
  },
  'request.replayed': {
    http: 409,
    retry: 'never',
    says: 'this very request was taken before',
    do: 'send a new request with an id of its own',
  },
  'channel.unknown': {
    http: 404,
    retry: 'never',
    says: 'no channel of this name takes answers',
    do: 'give the webhook a `callback` in the configuration',
  },
  'channel.not_genuine': {
    http: 401,
    retry: 'never',
    says: "the signature is missing or not this channel's",
    do: "sign `id.timestamp.body` with the callback's secret, see docs/channels.md",
  },
  'channel.outdated': {
    http: 401,
    retry: 'never',
    says: 'the signed time is too far from now',
    do: 'sign with the present time, and set the clock of the sender',
  },
  'stream.too_many': {
    http: 429,
    retry: 'later',
    says: 'too many streams are open',
    do: 'close one of your streams; a caller may have `limit` at once',
  },

  'tool.unknown': { http: 404, retry: 'never', says: 'no tool has this id', do: 'list the tools with `sluice tools`' },
  'tool.gone': {
    http: 410,
    retry: 'never',
    says: 'the tool server no longer offers this tool',
    do: 'list the tools with `sluice tools`',
  },
  'tool.unadmitted': {
    http: 409,
    retry: 'never',
    says: 'nobody has admitted this tool yet, so it has no card',
    do: 'read its definition with `sluice tools diff TOOL`, then admit it with `sluice admit TOOL HASH`',
  },
  'tool.hash_differs': {
    http: 409,
    retry: 'never',
    says: 'the tool is no longer the definition that was named',
    do: 'read the present definition, then admit its hash',
  },
  'tool.failed': {
    http: 502,
    retry: 'never',
    says: 'the tool ran and reported an error',
    do: 'read the result; correct the arguments before another try',
  },
  'read.unknown': {
    http: 404,
    retry: 'never',
    says: 'no tool server here has this resource or prompt',
    do: 'list the resources or prompts and use a name from there',
  },
  'tool.asks': {
    http: 422,
    retry: 'never',
    says: 'the tool asks for something before it goes on',
    do: 'call it again with the same arguments and your answers in `sluice/inputs`: `responses` by the names of its questions, and its `state`',
  },
  'watch.not_offered': {
    http: 404,
    retry: 'never',
    says: 'the tool server does not tell when its resources change',
    do: 'read the resource again when you need it',
  },
  'watch.too_many': {
    http: 429,
    retry: 'later',
    says: 'too many resources are watched',
    do: 'unsubscribe from some; a caller may watch `limit` at once',
  },
  'read.needs_person': {
    http: 403,
    retry: 'never',
    says: 'a person would have to be asked for this, and a read cannot wait for one',
    do: 'an operator can allow it by a rule for the tool `<server>__resources/read` or `<server>__prompts/get`',
  },
  'tool.unavailable': {
    http: 503,
    retry: 'later',
    says: 'the tool server could not be reached, so nothing was run',
    do: 'see `sluice servers`, then try again',
  },
  'tool.timeout': {
    http: 504,
    retry: 'never',
    says: 'the tool did not answer in time',
    do: 'raise `timeout_ms` of the server, or settle the call with `sluice settle`',
  },
  'tool.broke_off': {
    http: 502,
    retry: 'never',
    says: 'the tool server went away in the middle of the call',
    do: 'find out whether it took effect, then settle the call with `sluice settle`',
  },
  'tool.garbled': {
    http: 502,
    retry: 'never',
    says: 'the tool server answered with something that is not a tool result',
    do: "look at the server's log",
  },
  'tool.too_large': {
    http: 502,
    retry: 'never',
    says: 'the tool answered with more than the limit',
    do: 'ask the tool for less, or raise `output_limit` of the server',
  },

  'tool.output_invalid': {
    http: 502,
    retry: 'never',
    says: 'the tool ran, but its answer does not fit its own output schema',
    do: 'treat the effect as done; report the answer to whoever runs the server',
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
    says: 'the answer of this call was removed after its retention time',
    do: 'the call was made under this key before; use a new key to make it again',
  },
  'call.args_invalid': {
    http: 400,
    retry: 'never',
    says: "the arguments do not fit the tool's schema",
    do: 'correct the paths named in `paths`',
  },
  'call.integrity_mismatch': {
    http: 403,
    retry: 'never',
    says: "the caller's own canonical form or hash differs from the gate's",
    do: "send the arguments alone, or repair the caller's RFC 8785 code",
  },
  'call.blocked': {
    http: 403,
    retry: 'never',
    says: 'the gate blocks this call',
    do: 'read the evidence; an operator can change the rule it names',
  },
  'call.over_budget': {
    http: 429,
    retry: 'later',
    says: 'a budget for such calls is used up',
    do: 'try again after `frees_at`; an operator can change the budget that `rules` names',
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
    do: 'bring about what the check demands; `says` names it',
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
    says: 'the gate stopped while the tool was running; nobody knows whether it took effect',
    do: 'find out, then settle the call with `sluice settle`',
  },
  'call.read_interrupted': {
    http: 502,
    retry: 'later',
    says: 'the gate stopped while the tool was reading; it only reads, so nothing was changed',
    do: 'make the call again',
  },
  'call.not_unknown': {
    http: 409,
    retry: 'never',
    says: 'only a call whose outcome is unknown can be settled',
    do: "read the call's state first",
  },
  'call.not_pending': {
    http: 409,
    retry: 'never',
    says: 'only a held call can be withdrawn',
    do: "read the call's state first",
  },
  'task.unknown': {
    http: 404,
    retry: 'never',
    says: 'no task of yours has this id',
    do: 'use the `taskId` that the call was answered with, under the same key',
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
    says: 'the task could not be stopped just now',
    do: 'read its status, and cancel it again if it still runs',
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
    do: 'call again if it is still wanted',
  },

  'approval.too_many_pending': {
    http: 429,
    retry: 'later',
    says: 'as many requests of this caller as may wait for a decision are waiting, or as many bytes',
    do: 'wait until one of them is decided or expires, or withdraw one; `approvals.pending_per_caller` and `pending_bytes_per_caller` set the limits',
  },
  'approval.unknown': {
    http: 404,
    retry: 'never',
    says: 'no approval has this id',
    do: 'list what waits with `sluice approvals`',
  },
  'approval.not_pending': {
    http: 409,
    retry: 'never',
    says: 'the request was already decided',
    do: 'read its state; the first decision stands',
  },
  'approval.changed': {
    http: 409,
    retry: 'never',
    says: 'the packet is not the one that was shown to you',
    do: 'look at the request again and repeat the `digest` of what you see',
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
    do: 'make the call again if it is wanted twice',
  },
  'approval.token_too_weak': {
    http: 409,
    retry: 'never',
    says: 'no token is minted for a request of this strength',
    do: 'let an approver decide it; for strong requests an operator can set `approvals.tokens: strong`',
  },
  'approval.wrong_thread': {
    http: 403,
    retry: 'never',
    says: 'the token belongs to another thread',
    do: 'answer in the thread the request came from',
  },
  'approval.wrong_user': {
    http: 403,
    retry: 'never',
    says: 'the token was issued to another user',
    do: 'the user of the thread must answer',
  },
  'approval.denied': { http: 403, retry: 'never', says: 'a person denied the call', do: 'ask them what to do instead' },
  'approval.withdrawn': {
    http: 410,
    retry: 'never',
    says: 'the request was withdrawn',
    do: 'make the call again if it is still wanted',
  },
  'approval.stale': {
    http: 409,
    retry: 'never',
    says: 'the tool or the policy changed after the approval',
    do: 'make the call again, so that a person sees the present state',
  },
  'approval.own_request': {
    http: 403,
    retry: 'never',
    says: 'nobody may approve their own two-person request',
    do: 'ask another approver',
  },
  'approval.already_decided_by_you': {
    http: 409,
    retry: 'never',
    says: 'the second approval must come from another person',
    do: 'ask another approver',
  },

  'approval.passphrase_needed': {
    http: 403,
    retry: 'never',
    says: 'this is confirmed with your passphrase, not with a key alone',
    do: 'send it as `passphrase`; at the command line `sluice approve` asks for it',
  },
  'approval.passphrase_wrong': {
    http: 403,
    retry: 'never',
    says: 'this is not your passphrase',
    do: 'try again; `tries_left` says how often',
  },
  'approval.passphrase_unset': {
    http: 403,
    retry: 'never',
    says: 'strong approvals want a passphrase here, and you have none',
    do: 'set one with `sluice passphrase set`',
  },
  'approval.passphrase_locked': {
    http: 429,
    retry: 'later',
    says: 'too many wrong passphrases were given for this person',
    do: 'try again after `retry_after_s` seconds, or ask another approver',
  },

  'audit.unavailable': {
    http: 503,
    retry: 'later',
    says: 'refused: the call could not be recorded',
    do: 'free disk space or repair the store; the gate goes on by itself',
  },
  'audit.in_doubt': {
    http: 503,
    retry: 'later',
    says: 'the ledger went away before it answered, so it is not known yet whether this was recorded',
    do: 'try again in a moment; the gate asks the ledger until it knows, and takes no calls meanwhile',
  },
  'audit.seq_unknown': {
    http: 404,
    retry: 'never',
    says: 'there is no audit entry with this number',
    do: 'see `sluice audit verify` for the last one',
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
    says: 'there is no break of the audit to accept',
    do: 'nothing: the audit continues the newest checkpoint',
  },
  'audit.broken': {
    http: 409,
    retry: 'never',
    says: 'the audit does not verify',
    do: 'run `sluice audit verify`, keep a copy of the data folder, then restore a backup or run `sluice audit accept-break`; see docs/operations/broken-audit.md',
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
    says: 'several messages came in one array',
    do: 'send each message in a request of its own',
  },
  'mcp.version_unsupported': {
    http: 400,
    retry: 'never',
    says: 'the protocol version is not spoken here',
    do: 'use one of the versions in `supported`',
  },
  'mcp.envelope_invalid': {
    http: 400,
    retry: 'never',
    says: "the message's `_meta` lacks what this protocol version requires",
    do: 'correct the keys named in `keys`',
  },
  'mcp.header_mismatch': {
    http: 400,
    retry: 'never',
    says: 'a header is missing or says something else than the body',
    do: 'make the header named in `header` repeat the body',
  },
  'mcp.event_unknown': {
    http: 400,
    retry: 'never',
    says: 'the stream that `Last-Event-ID` names is not kept here',
    do: 'leave the header out; the outcome of a call is told by `call_status`',
  },
  'mcp.session_unknown': {
    http: 404,
    retry: 'never',
    says: 'the session is unknown, over, or belongs to somebody else',
    do: 'begin a new one with `initialize`',
  },
  'mcp.method_unknown': {
    http: 404,
    retry: 'never',
    says: 'the method is not offered here',
    do: 'look at the capabilities that `initialize` or `server/discover` answered',
  },
  'mcp.capability_missing': {
    http: 400,
    retry: 'never',
    says: 'the method is for clients that declare a capability, and this one does not',
    do: 'declare the capability named in `capability` with every such request',
  },
  'mcp.params_invalid': {
    http: 400,
    retry: 'never',
    says: 'the parameters do not fit the method',
    do: 'correct the fields named in `paths`',
  },

  'data.unusable': {
    http: 500,
    retry: 'never',
    says: 'the data folder cannot be used',
    do: 'let whoever runs the gate write there, or name another folder (`data:` or `--data`)',
  },
  'ledger.newer': {
    http: 500,
    retry: 'never',
    says: 'this data folder was written by a newer release of Sluice; nothing in it was changed',
    do: 'install that release again, or restore the backup from before the upgrade (docs/operations/upgrade.md)',
  },
  'ledger.foreign': {
    http: 500,
    retry: 'never',
    says: 'the file at this place is a database, but not a ledger of Sluice; nothing in it was changed',
    do: 'name another data folder (`data:` or `--data`), or move the file away',
  },
  'artifact.expired': {
    http: 410,
    retry: 'never',
    says: 'this artifact was removed after its retention time',
    do: 'make the call again; see `retention` in docs/configuration.md',
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
  'policy.invalid': {
    http: 400,
    retry: 'never',
    says: 'the policy has mistakes',
    do: 'correct the lines named in `faults`; docs/policy.md has the words',
  },
  'policy.cases_invalid': {
    http: 400,
    retry: 'never',
    says: 'the cases cannot be run as they are written',
    do: 'correct the lines named in `faults`; docs/policy.md has the form of a case',
  },
  'policy.refused': {
    http: 409,
    retry: 'never',
    says: 'the policy on disk was refused; the one before stays in force',
    do: 'correct the lines named in `faults`; the gate reads the file again by itself',
  },
  'key.absent': {
    http: 500,
    retry: 'never',
    says: 'a signing key of this data folder is missing or too short',
    do: 'restore the keys folder from a backup, or run `sluice keys reset`',
  },
  'key.exhausted': {
    http: 403,
    retry: 'never',
    says: 'this key has made all the calls it was good for',
    do: 'ask an admin for a new key',
  },
  'key.unknown': {
    http: 404,
    retry: 'never',
    says: 'no key has this id',
    do: 'list the keys with `sluice keys list`',
  },
  'toolflow.expired': {
    http: 410,
    retry: 'never',
    says: 'what this toolflow did was removed after its retention time',
    do: 'run it again; see `retention` in docs/configuration.md',
  },
  'toolflow.unknown': {
    http: 404,
    retry: 'never',
    says: 'no toolflow has this id',
    do: 'use the `run_id` of the answer that started it',
  },
  'toolflow.key_reused': {
    http: 409,
    retry: 'never',
    says: 'this idempotency key was used for a flow with other words',
    do: 'use a new key for a new flow',
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
    says: 'as many consents as there may be are live for this actor',
    do: 'revoke one, or wait for one to expire or be used up; `limit` says how many there may be',
  },
  'consent.not_rememberable': {
    http: 409,
    retry: 'never',
    says: 'no consent could have answered this request: more than a plain ask of the policy holds it',
    do: 'approve it without remembering; `rules` names what holds it',
  },
  'consent.not_the_call': {
    http: 400,
    retry: 'never',
    says: 'the approved call itself is not within the arguments to remember',
    do: 'choose constraints that the approved arguments meet and that name every one of them, or leave `args` out to remember them exactly',
  },
  'gate.running': {
    http: 409,
    retry: 'never',
    says: 'another gate runs on this data folder',
    do: 'use that one, or stop it first',
  },
  'gate.no_address': {
    http: 500,
    retry: 'never',
    says: 'the gate cannot listen at this address',
    do: 'end what listens there, or choose another address: `listen.host`, `listen.port` or `--port`',
  },
  'gate.absent': {
    http: 503,
    retry: 'later',
    says: 'no gate runs on this data folder',
    do: 'start it with `sluice up`',
  },
  'gate.broke_off': {
    http: 502,
    retry: 'never',
    says: 'the gate went away before it answered',
    do: 'the request was not sent again; find out what became of it before you repeat it',
  },
  'gate.stopping': { http: 503, retry: 'later', says: 'the gate is shutting down', do: 'try again when it is back' },
  internal: {
    http: 500,
    retry: 'later',
    says: 'an internal error; nothing more was done',
    do: 'report it with the incident id in `incident`',
  },
  'init.unknown_client': {
    http: 400,
    retry: 'never',
    says: 'no such client is known, and no such file is there',
    do: 'name one of `clients`, or the path of a file with `mcpServers`',
  },
  'init.nothing_to_undo': {
    http: 404,
    retry: 'never',
    says: 'no client was changed from this data folder, or all of it is undone',
    do: 'name the configuration that `sluice init --write` was run with (`--config`)',
  },
  'init.changed_since': {
    http: 409,
    retry: 'never',
    says: 'files were changed after the gate was put into them, so nothing was restored',
    do: 'copy what you need from the backups by hand, or undo the later changes first',
  },
  'erase.needs_yes': {
    http: 400,
    retry: 'never',
    says: 'this removes arguments, outputs and artifacts for ever',
    do: 'add `--yes`',
  },
  'init.needs_yes': {
    http: 400,
    retry: 'never',
    says: 'this changes files of other programs',
    do: 'add `--yes`, or `--dry-run` to see what would change',
  },
  'backup.exists': {
    http: 409,
    retry: 'never',
    says: 'there is a file of this name; a backup replaces nothing',
    do: 'give every backup a name of its own',
  },
  'backup.not_written': {
    http: 500,
    retry: 'later',
    says: 'the backup could not be written; nothing of it is left',
    do: 'look at `why`: the folder must exist, be writable, and have room',
  },
  'backup.unusable': {
    http: 400,
    retry: 'never',
    says: 'the file is not a backup that can be restored here',
    do: 'name a file that `sluice backup` wrote, and a data folder that is absent or empty',
  },
} as const satisfies Record<string, Spec>

export type ProblemCode = keyof typeof PROBLEMS

/** Plain data, so it survives JSON, replay and workers. `about` holds ids, paths and limits; never secrets or argument values. */
export type Problem = { readonly code: ProblemCode; readonly about: Readonly<Record<string, string>> }
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const problem = (code: ProblemCode, about: Problem['about'] = {}): Problem => ({ code, about })
export const refuse = (code: ProblemCode, about: Problem['about'] = {}): Result<never> => ({
  ok: false,
  problem: { code, about },
})

/** An impossible state. Thrown, never returned; doors answer `internal` with an incident id. */
export class Bug extends Error {
  override name = 'Bug'
}
