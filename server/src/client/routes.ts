/* Generated from the OpenAPI document by `npm run generate`. The request and the answer of each route. */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

export type Routes = {
  /** A message to an agent; answers with the end of its turn, or streams it (`Accept: text/event-stream`) */
  'POST /agent/run': {
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    body: { readonly message: string; readonly thread_id?: string | undefined; readonly idempotency_key?: string | undefined; readonly do_not_store?: boolean | undefined }
    answer: { readonly response: string; readonly thread_id: string; readonly run_id: string; readonly status: "running" | "completed" | "awaiting_approval" | "awaiting_input" | "failed" | "cancelled" }
  }
  /** A whole thread: its messages, plan, pending calls and cost */
  'GET /agent/runs/{run_id}': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined }
    answer: { readonly thread_id: string; readonly run_id: string; readonly status: "running" | "completed" | "awaiting_approval" | "awaiting_input" | "failed" | "cancelled"; readonly created_at: number; readonly title: string; readonly turns: number; readonly usage: { readonly model_calls: number; readonly input_tokens: number; readonly output_tokens: number; readonly cost: number }; readonly do_not_store: boolean; readonly last_event_id: string; readonly node: string; readonly intent: string | null; readonly messages: readonly ({ readonly role: "user" | "assistant" | "tool"; readonly text: string; readonly at: number; readonly tool?: string | undefined })[]; readonly summary: string | null; readonly plan: readonly ({ readonly step: string; readonly status: string; readonly tries: number })[]; readonly current_step: number; readonly proposed_tool: { readonly name: string; readonly args_hash: string; readonly tool_call_id: string; readonly step_idx: number; readonly created_at: number } | null; readonly last_tool_result: { readonly status: "success" | "failed"; readonly output: string; readonly evicted: boolean; readonly pointer: string | null; readonly size_chars: number; readonly rehydration_allowed: boolean; readonly summary: string | null } | null; readonly call_id: string | null; readonly awaiting_approval: boolean; readonly approval_id: string | null; readonly approval_hash: string | null; readonly approval_expires_at: number | null; readonly awaiting_user_input: boolean; readonly question: string | null; readonly security_findings: readonly ({ readonly rule_id: string; readonly severity: string; readonly message: string })[]; readonly audit_trail: readonly (string)[] }
  }
  /** Your threads, newest first */
  'GET /agent/threads': {
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly thread_id: string; readonly run_id: string; readonly status: "running" | "completed" | "awaiting_approval" | "awaiting_input" | "failed" | "cancelled"; readonly created_at: number; readonly title: string; readonly turns: number; readonly usage: { readonly model_calls: number; readonly input_tokens: number; readonly output_tokens: number; readonly cost: number }; readonly do_not_store: boolean })[]; readonly next?: number | undefined }
  }
  /** One of your threads as a whole, by its id, for export */
  'GET /agent/threads/{thread_id}': {
    path: { readonly thread_id: string }
    query: { readonly session?: string | undefined }
    answer: { readonly thread_id: string; readonly run_id: string; readonly status: "running" | "completed" | "awaiting_approval" | "awaiting_input" | "failed" | "cancelled"; readonly created_at: number; readonly title: string; readonly turns: number; readonly usage: { readonly model_calls: number; readonly input_tokens: number; readonly output_tokens: number; readonly cost: number }; readonly do_not_store: boolean; readonly last_event_id: string; readonly node: string; readonly intent: string | null; readonly messages: readonly ({ readonly role: "user" | "assistant" | "tool"; readonly text: string; readonly at: number; readonly tool?: string | undefined })[]; readonly summary: string | null; readonly plan: readonly ({ readonly step: string; readonly status: string; readonly tries: number })[]; readonly current_step: number; readonly proposed_tool: { readonly name: string; readonly args_hash: string; readonly tool_call_id: string; readonly step_idx: number; readonly created_at: number } | null; readonly last_tool_result: { readonly status: "success" | "failed"; readonly output: string; readonly evicted: boolean; readonly pointer: string | null; readonly size_chars: number; readonly rehydration_allowed: boolean; readonly summary: string | null } | null; readonly call_id: string | null; readonly awaiting_approval: boolean; readonly approval_id: string | null; readonly approval_hash: string | null; readonly approval_expires_at: number | null; readonly awaiting_user_input: boolean; readonly question: string | null; readonly security_findings: readonly ({ readonly rule_id: string; readonly severity: string; readonly message: string })[]; readonly audit_trail: readonly (string)[] }
  }
  /** Stop a thread; a call that waits for a person is withdrawn, a running call is cancelled */
  'POST /agent/threads/{thread_id}/cancel': {
    path: { readonly thread_id: string }
    query: { readonly session?: string | undefined }
    answer: { readonly thread_id: string; readonly run_id: string; readonly status: "running" | "completed" | "awaiting_approval" | "awaiting_input" | "failed" | "cancelled"; readonly created_at: number; readonly title: string; readonly turns: number; readonly usage: { readonly model_calls: number; readonly input_tokens: number; readonly output_tokens: number; readonly cost: number }; readonly do_not_store: boolean; readonly last_event_id: string; readonly node: string; readonly intent: string | null; readonly messages: readonly ({ readonly role: "user" | "assistant" | "tool"; readonly text: string; readonly at: number; readonly tool?: string | undefined })[]; readonly summary: string | null; readonly plan: readonly ({ readonly step: string; readonly status: string; readonly tries: number })[]; readonly current_step: number; readonly proposed_tool: { readonly name: string; readonly args_hash: string; readonly tool_call_id: string; readonly step_idx: number; readonly created_at: number } | null; readonly last_tool_result: { readonly status: "success" | "failed"; readonly output: string; readonly evicted: boolean; readonly pointer: string | null; readonly size_chars: number; readonly rehydration_allowed: boolean; readonly summary: string | null } | null; readonly call_id: string | null; readonly awaiting_approval: boolean; readonly approval_id: string | null; readonly approval_hash: string | null; readonly approval_expires_at: number | null; readonly awaiting_user_input: boolean; readonly question: string | null; readonly security_findings: readonly ({ readonly rule_id: string; readonly severity: string; readonly message: string })[]; readonly audit_trail: readonly (string)[] }
  }
  /** The flows that you can see, each in its newest version */
  'GET /api/v1/flows': {
    query: { readonly limit?: number | undefined; readonly after?: number | undefined; readonly session?: string | undefined; readonly vault_id?: string | undefined }
    answer: { readonly schema: string; readonly vault_id: string; readonly flows: readonly ({ readonly schema?: "knowtation.flow/v0" | undefined; readonly flow_id: string; readonly title: string; readonly version: string; readonly scope: "personal" | "project" | "org"; readonly summary?: string | undefined; readonly tags?: readonly (string)[] | undefined; readonly steps: readonly (string)[]; readonly inputs?: readonly (string)[] | undefined; readonly vault_mirror_path?: string | null | undefined; readonly updated?: string | undefined; readonly truncated?: boolean | undefined })[]; readonly next_cursor?: string | undefined }
  }
  /** Revoke a flow consent */
  'POST /api/v1/flows/consents/{consent_id}/revoke': {
    path: { readonly consent_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly etag?: string | undefined }
    answer: { readonly schema: string; readonly consent: { readonly consent_id: string; readonly vault_id: string; readonly scope: "personal" | "project" | "org"; readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly allowed_lanes: readonly (string)[]; readonly cost_cap_units: number; readonly cost_consumed_units: number; readonly actor_hash: string; readonly expires_at: string; readonly revoked_at: string | null } }
  }
  /** Any action by its name, with the same body as the MCP tool `flow_run` */
  'POST /api/v1/flows/flow_run': {
    query: { readonly wait_ms?: number | undefined }
    body: { readonly action?: "start" | "get" | "list" | "advance" | "evidence" | "consent_mint" | "consent_revoke" | "execute_automatable" | "submit_review" | "abandon" | undefined }
    answer: { readonly [name: string]: Json }
  }
  /** Import a bundle: `{source}` with YAML or JSON text, or the bundle itself */
  'POST /api/v1/flows/import': {
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly source?: string | undefined; readonly flow?: { readonly [name: string]: Json } | undefined; readonly steps?: readonly Json[] | undefined; readonly base_version?: string | undefined }
    answer: { readonly schema: string; readonly vault_id: string; readonly flow: { readonly schema?: "knowtation.flow/v0" | undefined; readonly flow_id: string; readonly title: string; readonly version: string; readonly scope: "personal" | "project" | "org"; readonly summary?: string | undefined; readonly tags?: readonly (string)[] | undefined; readonly steps: readonly (string)[]; readonly inputs?: readonly (string)[] | undefined; readonly vault_mirror_path?: string | null | undefined; readonly updated?: string | undefined; readonly truncated?: boolean | undefined }; readonly steps: readonly ({ readonly schema?: "knowtation.flow_step/v0" | undefined; readonly step_id: string; readonly flow_id: string; readonly ordinal: number; readonly owned_job: string; readonly instruction: string; readonly trigger?: string | undefined; readonly when_not_to_run?: string | undefined; readonly requires?: readonly (string)[] | undefined; readonly boundaries?: readonly (string)[] | undefined; readonly skill_refs?: readonly ({ readonly kind: "mcp_prompt" | "skill_pack" | "cli" | "external_tool"; readonly id: string })[] | undefined; readonly inputs?: readonly (string)[] | undefined; readonly outputs?: readonly (string)[] | undefined; readonly output_shape?: string | undefined; readonly verification: { readonly kind: "human_review" | "artifact_exists" | "value_match" | "test_pass" | "agent_check"; readonly evidence_required: boolean; readonly description?: string | undefined }; readonly automatable: "manual" | "agent_assisted" | "automatable" })[] }
  }
  /** The runs that you can see, newest first */
  'GET /api/v1/flows/runs': {
    query: { readonly flow_id?: string | undefined; readonly status?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly session?: string | undefined; readonly vault_id?: string | undefined }
    answer: { readonly schema: string; readonly vault_id: string; readonly runs: readonly ({ readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string })[]; readonly next_cursor?: string | undefined }
  }
  /** Start a run of a flow */
  'POST /api/v1/flows/runs': {
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly flow_id?: string | undefined; readonly version?: string | undefined; readonly harness?: string | undefined; readonly task_ref?: string | undefined; readonly external_ref?: string | undefined }
    answer: { readonly schema: string; readonly run: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string } }
  }
  /** One run */
  'GET /api/v1/flows/runs/{run_id}': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    answer: { readonly schema: string; readonly vault_id: string; readonly run: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string } }
  }
  /** End a run that will not be finished */
  'POST /api/v1/flows/runs/{run_id}/abandon': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly reason?: string | undefined; readonly etag?: string | undefined }
    answer: { readonly schema: string; readonly run: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string } }
  }
  /** Set the status of a step: in_progress, blocked, done, skipped */
  'POST /api/v1/flows/runs/{run_id}/advance': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly step_id?: string | undefined; readonly status?: string | undefined; readonly skip_reason?: string | undefined; readonly etag?: string | undefined }
    answer: { readonly schema: string; readonly run: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string } }
  }
  /** One run as a checklist: its steps, evidence, consents, executions, and who did what */
  'GET /api/v1/flows/runs/{run_id}/checklist': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    answer: { readonly schema: string; readonly vault_id: string; readonly run: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string }; readonly title: string; readonly may_change: boolean; readonly steps: readonly ({ readonly schema?: "knowtation.flow_step/v0" | undefined; readonly step_id: string; readonly flow_id: string; readonly ordinal: number; readonly owned_job: string; readonly instruction: string; readonly trigger?: string | undefined; readonly when_not_to_run?: string | undefined; readonly requires?: readonly (string)[] | undefined; readonly boundaries?: readonly (string)[] | undefined; readonly skill_refs?: readonly ({ readonly kind: "mcp_prompt" | "skill_pack" | "cli" | "external_tool"; readonly id: string })[] | undefined; readonly inputs?: readonly (string)[] | undefined; readonly outputs?: readonly (string)[] | undefined; readonly output_shape?: string | undefined; readonly verification: { readonly kind: "human_review" | "artifact_exists" | "value_match" | "test_pass" | "agent_check"; readonly evidence_required: boolean; readonly description?: string | undefined }; readonly automatable: "manual" | "agent_assisted" | "automatable" })[]; readonly history: readonly ({ readonly at: string; readonly by: string; readonly did: string; readonly step_id: string | null; readonly note: string | null })[]; readonly executions: readonly ({ readonly execution_id: string; readonly step_id: string; readonly status: "running" | "completed" | "failed" | "cost_capped"; readonly evidence_ref: string | null; readonly cost_units: number; readonly model_lane: string; readonly completed_at: string | null; readonly by: string; readonly reason: string | null })[]; readonly consents: readonly ({ readonly consent_id: string; readonly vault_id: string; readonly scope: "personal" | "project" | "org"; readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly allowed_lanes: readonly (string)[]; readonly cost_cap_units: number; readonly cost_consumed_units: number; readonly actor_hash: string; readonly expires_at: string; readonly revoked_at: string | null; readonly minted_by: string; readonly lifts_asks: boolean; readonly own: boolean })[] }
  }
  /** Mint a consent for executions of this run */
  'POST /api/v1/flows/runs/{run_id}/consents': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly allowed_lanes?: readonly (string)[] | undefined; readonly cost_cap_units?: number | undefined; readonly ttl_seconds?: number | undefined; readonly etag?: string | undefined; readonly passphrase?: string | undefined; readonly passkey?: { readonly [name: string]: Json } | undefined }
    answer: { readonly schema: string; readonly consent: { readonly consent_id: string; readonly vault_id: string; readonly scope: "personal" | "project" | "org"; readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly allowed_lanes: readonly (string)[]; readonly cost_cap_units: number; readonly cost_consumed_units: number; readonly actor_hash: string; readonly expires_at: string; readonly revoked_at: string | null } }
  }
  /** Attach a pointer to a step; it is checked */
  'POST /api/v1/flows/runs/{run_id}/evidence': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly step_id?: string | undefined; readonly evidence_ref?: string | undefined; readonly pointer_kind?: string | undefined; readonly etag?: string | undefined }
    answer: { readonly schema: string; readonly run: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string } }
  }
  /** Let an agent carry out an automatable step under a consent (wait_ms for its end, default 60000) */
  'POST /api/v1/flows/runs/{run_id}/execute': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined; readonly wait_ms?: number | undefined }
    body: { readonly step_id?: string | undefined; readonly consent_id?: string | undefined; readonly model_lane?: string | undefined; readonly dry_run?: boolean | undefined; readonly etag?: string | undefined }
    answer: { readonly schema: string; readonly run: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string }; readonly execution: { readonly execution_id: string; readonly step_id: string; readonly status: "running" | "completed" | "failed" | "cost_capped"; readonly evidence_ref: string | null; readonly cost_units: number; readonly model_lane: string; readonly completed_at: string | null } }
  }
  /** Submit a proposal for a person to review */
  'POST /api/v1/flows/runs/{run_id}/review': {
    path: { readonly run_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly intent?: string | undefined; readonly step_id?: string | undefined; readonly etag?: string | undefined }
    answer: { readonly schema: string; readonly run: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly scope: "personal" | "project" | "org"; readonly status: "in_progress" | "done" | "abandoned"; readonly step_states: readonly ({ readonly step_id: string; readonly status: "pending" | "in_progress" | "blocked" | "done" | "skipped"; readonly evidence_ref: string | null; readonly pointer_kind: "proposal" | "artifact" | "hash" | "test_result" | null; readonly verified: boolean; readonly skip_reason: "policy" | "not_applicable" | "blocked_dependency" | null })[]; readonly started: string; readonly provenance: { readonly actor: string; readonly harness: string }; readonly task_ref: string | null; readonly external_ref: string | null; readonly etag: string }; readonly proposal_id: string }
  }
  /** One flow with its steps */
  'GET /api/v1/flows/{flow_id}': {
    path: { readonly flow_id: string }
    query: { readonly version?: string | undefined; readonly session?: string | undefined; readonly vault_id?: string | undefined }
    answer: { readonly schema: string; readonly vault_id: string; readonly flow: { readonly schema?: "knowtation.flow/v0" | undefined; readonly flow_id: string; readonly title: string; readonly version: string; readonly scope: "personal" | "project" | "org"; readonly summary?: string | undefined; readonly tags?: readonly (string)[] | undefined; readonly steps: readonly (string)[]; readonly inputs?: readonly (string)[] | undefined; readonly vault_mirror_path?: string | null | undefined; readonly updated?: string | undefined; readonly truncated?: boolean | undefined }; readonly steps: readonly ({ readonly schema?: "knowtation.flow_step/v0" | undefined; readonly step_id: string; readonly flow_id: string; readonly ordinal: number; readonly owned_job: string; readonly instruction: string; readonly trigger?: string | undefined; readonly when_not_to_run?: string | undefined; readonly requires?: readonly (string)[] | undefined; readonly boundaries?: readonly (string)[] | undefined; readonly skill_refs?: readonly ({ readonly kind: "mcp_prompt" | "skill_pack" | "cli" | "external_tool"; readonly id: string })[] | undefined; readonly inputs?: readonly (string)[] | undefined; readonly outputs?: readonly (string)[] | undefined; readonly output_shape?: string | undefined; readonly verification: { readonly kind: "human_review" | "artifact_exists" | "value_match" | "test_pass" | "agent_check"; readonly evidence_required: boolean; readonly description?: string | undefined }; readonly automatable: "manual" | "agent_assisted" | "automatable" })[] }
  }
  /** A message to an agent; answers with the end of its turn, or streams it (`Accept: text/event-stream`) */
  'POST /chat': {
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    body: { readonly message: string; readonly thread_id?: string | undefined; readonly idempotency_key?: string | undefined; readonly do_not_store?: boolean | undefined }
    answer: { readonly response: string; readonly thread_id: string; readonly run_id: string; readonly status: "running" | "completed" | "awaiting_approval" | "awaiting_input" | "failed" | "cancelled" }
  }
  /** The process is alive */
  'GET /healthz': {
    answer: { readonly ok: true }
  }
  /** Metrics in the text format of Prometheus */
  'GET /metrics': {
    answer: string
  }
  /** Complete a login at a tool server, in the browser that continued it */
  'POST /oauth/callback': {
    body: { readonly secrets: readonly (string)[]; readonly state?: string | undefined; readonly code?: string | undefined; readonly iss?: string | undefined; readonly error?: string | undefined }
    answer: { readonly title: string; readonly says: readonly (string)[] }
  }
  /** Continue from the gate's page to the authorization server; `secret` proves at the end that it is the same browser */
  'POST /oauth/login/{ticket}/continue': {
    path: { readonly ticket: string }
    body: { readonly [name: string]: Json }
    answer: { readonly url: string; readonly secret: string }
  }
  /** The gate accepts calls */
  'GET /readyz': {
    answer: { readonly ok: true }
  }
  /** Who is asked about which calls: the groups and the routes in force */
  'GET /v1/approval-routes': {
    answer: { readonly groups: { readonly [name: string]: readonly (string)[] }; readonly routes: readonly ({ readonly id: string; readonly group?: string | undefined; readonly approvers?: readonly (string)[] | undefined; readonly people: number; readonly channels?: readonly (string)[] | undefined; readonly expires_ms?: number | undefined; readonly escalation?: { readonly after_ms: number; readonly to: string; readonly channels?: readonly (string)[] | undefined } | undefined; readonly strength: "simple" | "strong"; readonly match: { readonly [name: string]: Json } })[] }
  }
  /** Requests, by `state` (default pending, `any` for all), and by tool, agent or caller, and time (ms). With one of these, a page may be short and still have a `next`: one request reads a limited number of requests */
  'GET /v1/approvals': {
    query: { readonly state?: string | undefined; readonly tool?: string | undefined; readonly agent?: string | undefined; readonly caller?: string | undefined; readonly since?: number | undefined; readonly until?: number | undefined; readonly session?: string | undefined; readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly approval_id: string; readonly call_id: string; readonly skill_id: string; readonly title: string; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly risk: { readonly class: "low" | "medium" | "high" | "critical"; readonly effects: readonly ("read" | "write" | "destructive" | "external" | "privileged")[]; readonly effects_from: "configured" | "pack" | "annotated" | "inferred" | "unknown"; readonly why: readonly (string)[] }; readonly sources: readonly ({ readonly at: string; readonly kind: "user" | "claimed" | "operator" | "approved" | "tool" | "outside"; readonly label: string; readonly where?: { readonly call_id?: string | undefined; readonly path?: string | undefined } | undefined; readonly excerpt?: string | undefined; readonly time?: number | undefined })[]; readonly changes: readonly ({ readonly of: "arguments"; readonly fields: readonly ({ readonly at: string; readonly before?: string | undefined; readonly after?: string | undefined })[] } | { readonly of: "file"; readonly path: string; readonly is: "written" | "edited" | "deleted"; readonly added: number; readonly removed: number; readonly lines: readonly ({ readonly is: "same" | "added" | "removed" | "skipped"; readonly text: string })[]; readonly cut: boolean } | { readonly of: "dry_run"; readonly fields: readonly ({ readonly at: string; readonly before?: string | undefined; readonly after?: string | undefined })[] })[]; readonly facts: { readonly undo: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly read_back: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly check: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly dry_run: { readonly is: "yes" | "no" | "unknown"; readonly says: string } }; readonly why_this: string; readonly required_inputs: readonly (string)[]; readonly proposed_args: string; readonly edited_from?: string | undefined; readonly retries?: { readonly attempt: number; readonly started_at?: number | undefined; readonly ordered_by: string } | undefined; readonly risk_notes: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[]; readonly preview?: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined } | undefined; readonly definition?: { readonly tool_id: string; readonly server: string; readonly status: "admitted" | "changed" | "new" | "gone"; readonly before?: { readonly hash: string; readonly definition: { readonly name: string; readonly title?: string | undefined; readonly description?: string | undefined; readonly inputSchema: { readonly [name: string]: Json }; readonly outputSchema?: { readonly [name: string]: Json } | undefined; readonly annotations?: { readonly [name: string]: Json } | undefined }; readonly at: number; readonly by: string } | undefined; readonly after: { readonly hash: string; readonly definition: { readonly name: string; readonly title?: string | undefined; readonly description?: string | undefined; readonly inputSchema: { readonly [name: string]: Json }; readonly outputSchema?: { readonly [name: string]: Json } | undefined; readonly annotations?: { readonly [name: string]: Json } | undefined } }; readonly changes: readonly ({ readonly path: string; readonly before?: string | undefined; readonly after?: string | undefined })[] } | undefined; readonly rollback: string; readonly check: string; readonly verify: string; readonly missing: readonly (string)[]; readonly asked_by: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly grant?: { readonly key: string; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined } | undefined; readonly speaks_for_user?: true | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly credential?: { readonly key?: string | undefined; readonly expires_at?: number | undefined } | undefined }; readonly thread: string; readonly by_run?: { readonly run_id: string; readonly kind: string; readonly step: string; readonly lane: string | null } | undefined; readonly node?: { readonly name: string; readonly tool: string; readonly approval_id: string; readonly context: { readonly caller: string; readonly user: string; readonly thread: string; readonly run?: string | undefined; readonly kind?: string | undefined; readonly step?: string | undefined; readonly document?: string | undefined; readonly protocol?: string | undefined; readonly sender?: string | undefined; readonly room?: string | undefined } } | undefined; readonly decided_at?: { readonly hub: string; readonly url: string } | undefined; readonly strength: "simple" | "strong" | "two_person"; readonly asked: { readonly route?: string | undefined; readonly groups: readonly ({ readonly name: string; readonly people: readonly (string)[] })[]; readonly people: number; readonly approved: number; readonly missing: number; readonly able?: number | undefined; readonly escalates_at?: number | undefined; readonly escalates_to?: string | undefined; readonly escalated_at?: number | undefined }; readonly state: "pending" | "approved" | "consumed" | "stale" | "edited" | "denied" | "expired" | "withdrawn"; readonly decisions: readonly ({ readonly by: string; readonly user: string; readonly for?: string | undefined; readonly says: "approve" | "deny"; readonly how: string; readonly passphrase?: true | undefined; readonly passkey?: string | undefined; readonly reason?: string | undefined; readonly at: number; readonly keys?: readonly (string)[] | undefined; readonly ended_at?: number | undefined })[]; readonly created_at: number; readonly expires_at: number; readonly choices: readonly (string)[]; readonly hidden: readonly ({ readonly in: "proposed_args" | "edited_from" | "preview"; readonly at: string; readonly type: string; readonly length: number })[]; readonly foldable: readonly ({ readonly id: string; readonly at: string; readonly length: number })[]; readonly version: number; readonly digest: string })[]; readonly next?: number | undefined }
  }
  /** The packet of one request */
  'GET /v1/approvals/{approval_id}': {
    path: { readonly approval_id: string }
    query: { readonly session?: string | undefined }
    answer: { readonly approval_id: string; readonly call_id: string; readonly skill_id: string; readonly title: string; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly risk: { readonly class: "low" | "medium" | "high" | "critical"; readonly effects: readonly ("read" | "write" | "destructive" | "external" | "privileged")[]; readonly effects_from: "configured" | "pack" | "annotated" | "inferred" | "unknown"; readonly why: readonly (string)[] }; readonly sources: readonly ({ readonly at: string; readonly kind: "user" | "claimed" | "operator" | "approved" | "tool" | "outside"; readonly label: string; readonly where?: { readonly call_id?: string | undefined; readonly path?: string | undefined } | undefined; readonly excerpt?: string | undefined; readonly time?: number | undefined })[]; readonly changes: readonly ({ readonly of: "arguments"; readonly fields: readonly ({ readonly at: string; readonly before?: string | undefined; readonly after?: string | undefined })[] } | { readonly of: "file"; readonly path: string; readonly is: "written" | "edited" | "deleted"; readonly added: number; readonly removed: number; readonly lines: readonly ({ readonly is: "same" | "added" | "removed" | "skipped"; readonly text: string })[]; readonly cut: boolean } | { readonly of: "dry_run"; readonly fields: readonly ({ readonly at: string; readonly before?: string | undefined; readonly after?: string | undefined })[] })[]; readonly facts: { readonly undo: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly read_back: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly check: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly dry_run: { readonly is: "yes" | "no" | "unknown"; readonly says: string } }; readonly why_this: string; readonly required_inputs: readonly (string)[]; readonly proposed_args: string; readonly edited_from?: string | undefined; readonly retries?: { readonly attempt: number; readonly started_at?: number | undefined; readonly ordered_by: string } | undefined; readonly risk_notes: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[]; readonly preview?: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined } | undefined; readonly definition?: { readonly tool_id: string; readonly server: string; readonly status: "admitted" | "changed" | "new" | "gone"; readonly before?: { readonly hash: string; readonly definition: { readonly name: string; readonly title?: string | undefined; readonly description?: string | undefined; readonly inputSchema: { readonly [name: string]: Json }; readonly outputSchema?: { readonly [name: string]: Json } | undefined; readonly annotations?: { readonly [name: string]: Json } | undefined }; readonly at: number; readonly by: string } | undefined; readonly after: { readonly hash: string; readonly definition: { readonly name: string; readonly title?: string | undefined; readonly description?: string | undefined; readonly inputSchema: { readonly [name: string]: Json }; readonly outputSchema?: { readonly [name: string]: Json } | undefined; readonly annotations?: { readonly [name: string]: Json } | undefined } }; readonly changes: readonly ({ readonly path: string; readonly before?: string | undefined; readonly after?: string | undefined })[] } | undefined; readonly rollback: string; readonly check: string; readonly verify: string; readonly missing: readonly (string)[]; readonly asked_by: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly grant?: { readonly key: string; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined } | undefined; readonly speaks_for_user?: true | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly credential?: { readonly key?: string | undefined; readonly expires_at?: number | undefined } | undefined }; readonly thread: string; readonly by_run?: { readonly run_id: string; readonly kind: string; readonly step: string; readonly lane: string | null } | undefined; readonly node?: { readonly name: string; readonly tool: string; readonly approval_id: string; readonly context: { readonly caller: string; readonly user: string; readonly thread: string; readonly run?: string | undefined; readonly kind?: string | undefined; readonly step?: string | undefined; readonly document?: string | undefined; readonly protocol?: string | undefined; readonly sender?: string | undefined; readonly room?: string | undefined } } | undefined; readonly decided_at?: { readonly hub: string; readonly url: string } | undefined; readonly strength: "simple" | "strong" | "two_person"; readonly asked: { readonly route?: string | undefined; readonly groups: readonly ({ readonly name: string; readonly people: readonly (string)[] })[]; readonly people: number; readonly approved: number; readonly missing: number; readonly able?: number | undefined; readonly escalates_at?: number | undefined; readonly escalates_to?: string | undefined; readonly escalated_at?: number | undefined }; readonly state: "pending" | "approved" | "consumed" | "stale" | "edited" | "denied" | "expired" | "withdrawn"; readonly decisions: readonly ({ readonly by: string; readonly user: string; readonly for?: string | undefined; readonly says: "approve" | "deny"; readonly how: string; readonly passphrase?: true | undefined; readonly passkey?: string | undefined; readonly reason?: string | undefined; readonly at: number; readonly keys?: readonly (string)[] | undefined; readonly ended_at?: number | undefined })[]; readonly created_at: number; readonly expires_at: number; readonly choices: readonly (string)[]; readonly hidden: readonly ({ readonly in: "proposed_args" | "edited_from" | "preview"; readonly at: string; readonly type: string; readonly length: number })[]; readonly foldable: readonly ({ readonly id: string; readonly at: string; readonly length: number })[]; readonly version: number; readonly digest: string }
  }
  /** The same preview for a consent that is remembered with an approval */
  'POST /v1/approvals/{approval_id}/consent-preview': {
    path: { readonly approval_id: string }
    body: { readonly remember: { readonly calls: number; readonly cost?: number | undefined; readonly expires_in_s: number; readonly args?: readonly ({ readonly path: string; readonly op: "equals"; readonly value: Json } | { readonly path: string; readonly op: "in"; readonly value: readonly (Json)[] } | { readonly path: string; readonly op: "prefix"; readonly value: string } | { readonly path: string; readonly op: "min"; readonly value: number } | { readonly path: string; readonly op: "max"; readonly value: number } | { readonly path: string; readonly op: "any" })[] | undefined } }
    answer: { readonly since: number; readonly until: number; readonly covered: number; readonly looked_at: number; readonly complete: boolean; readonly examples: readonly ({ readonly call_id: string; readonly tool_id: string; readonly state: "pending" | "executing" | "executed" | "refused" | "failed" | "unknown" | "not_reported"; readonly effect: "allow" | "ask" | "block"; readonly observed?: "allow" | "ask" | "block" | undefined; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly why: string; readonly rule?: string | undefined; readonly asked_by: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly grant?: { readonly key: string; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined } | undefined; readonly speaks_for_user?: true | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly credential?: { readonly key?: string | undefined; readonly expires_at?: number | undefined } | undefined }; readonly thread: string; readonly by_run?: { readonly run_id: string; readonly kind: string; readonly step: string; readonly lane: string | null } | undefined; readonly received_at: number; readonly started_at?: number | undefined; readonly ended_at?: number | undefined; readonly approval_id?: string | undefined; readonly consent_id?: string | undefined; readonly problem?: { readonly code: string; readonly says: string; readonly about: { readonly [name: string]: string } } | undefined; readonly expired_at?: number | undefined; readonly proposed_args?: string | undefined; readonly rollback?: string | undefined; readonly choices?: readonly ("retry" | "done" | "failed")[] | undefined })[] }
  }
  /** Approve (and remember), deny, or edit the arguments */
  'POST /v1/approvals/{approval_id}/decide': {
    path: { readonly approval_id: string }
    body: { readonly decision: "approve"; readonly digest: string; readonly version?: number | undefined; readonly unfolded?: readonly (string)[] | undefined; readonly reason?: string | undefined; readonly remember?: { readonly calls: number; readonly cost?: number | undefined; readonly expires_in_s: number; readonly args?: readonly ({ readonly path: string; readonly op: "equals"; readonly value: Json } | { readonly path: string; readonly op: "in"; readonly value: readonly (Json)[] } | { readonly path: string; readonly op: "prefix"; readonly value: string } | { readonly path: string; readonly op: "min"; readonly value: number } | { readonly path: string; readonly op: "max"; readonly value: number } | { readonly path: string; readonly op: "any" })[] | undefined } | undefined; readonly typed?: string | undefined; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined } | { readonly decision: "deny"; readonly reason?: string | undefined } | { readonly decision: "edit"; readonly args: Json; readonly digest?: string | undefined; readonly version?: number | undefined }
    answer: { readonly approval_id: string; readonly call_id: string; readonly state: "pending" | "approved" | "consumed" | "stale" | "edited" | "denied" | "expired" | "withdrawn"; readonly strength: "simple" | "strong" | "two_person"; readonly asked: { readonly route?: string | undefined; readonly groups: readonly ({ readonly name: string; readonly people: readonly (string)[] })[]; readonly people: number; readonly approved: number; readonly missing: number; readonly able?: number | undefined; readonly escalates_at?: number | undefined; readonly escalates_to?: string | undefined; readonly escalated_at?: number | undefined }; readonly decisions: readonly ({ readonly by: string; readonly user: string; readonly for?: string | undefined; readonly says: "approve" | "deny"; readonly how: string; readonly passphrase?: true | undefined; readonly passkey?: string | undefined; readonly reason?: string | undefined; readonly at: number; readonly keys?: readonly (string)[] | undefined; readonly ended_at?: number | undefined })[]; readonly replaces?: string | undefined }
  }
  /** Preview the decision for edited arguments; nothing is saved or run */
  'POST /v1/approvals/{approval_id}/edit-preview': {
    path: { readonly approval_id: string }
    body: { readonly args: Json }
    answer: { readonly effect: "allow" | "ask" | "block"; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly evidence: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[]; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly changes: readonly ({ readonly at: string; readonly before?: string | undefined; readonly after?: string | undefined })[] }
  }
  /** The options for `navigator.credentials.get`, to approve exactly this request as it was shown */
  'POST /v1/approvals/{approval_id}/passkey': {
    path: { readonly approval_id: string }
    body: { readonly digest: string }
    answer: { readonly challenge: string }
  }
  /** Answer with a token, as the user of the session */
  'POST /v1/approvals/{approval_id}/redeem': {
    path: { readonly approval_id: string }
    body: { readonly token: string; readonly thread: string; readonly decision?: "approve" | "deny" | undefined; readonly reason?: string | undefined }
    answer: { readonly approval_id: string; readonly call_id: string; readonly state: "pending" | "approved" | "consumed" | "stale" | "edited" | "denied" | "expired" | "withdrawn"; readonly strength: "simple" | "strong" | "two_person"; readonly asked: { readonly route?: string | undefined; readonly groups: readonly ({ readonly name: string; readonly people: readonly (string)[] })[]; readonly people: number; readonly approved: number; readonly missing: number; readonly able?: number | undefined; readonly escalates_at?: number | undefined; readonly escalates_to?: string | undefined; readonly escalated_at?: number | undefined }; readonly decisions: readonly ({ readonly by: string; readonly user: string; readonly for?: string | undefined; readonly says: "approve" | "deny"; readonly how: string; readonly passphrase?: true | undefined; readonly passkey?: string | undefined; readonly reason?: string | undefined; readonly at: number; readonly keys?: readonly (string)[] | undefined; readonly ended_at?: number | undefined })[]; readonly replaces?: string | undefined }
  }
  /** The redacted text of a request; reading it is recorded in the audit */
  'POST /v1/approvals/{approval_id}/reveal': {
    path: { readonly approval_id: string }
    answer: { readonly approval_id: string; readonly hidden: readonly ({ readonly in: "proposed_args" | "edited_from" | "preview"; readonly at: string; readonly type: string; readonly length: number })[]; readonly digest: string; readonly proposed_args: string; readonly edited_from?: string | undefined; readonly preview?: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined } | undefined }
  }
  /** Issue a token for the user of the session */
  'POST /v1/approvals/{approval_id}/token': {
    path: { readonly approval_id: string }
    answer: { readonly token: string }
  }
  /** A part of an output in the artifact store (from, length) */
  'GET /v1/artifacts/{digest}': {
    path: { readonly digest: string }
    query: { readonly from?: number | undefined; readonly length?: number | undefined; readonly session?: string | undefined }
    answer: { readonly text: string; readonly size: number }
  }
  /** What needs attention: servers that are down, requests that expire soon, calls with an unknown outcome, consents that end soon, tools to admit */
  'GET /v1/attention': {
    answer: { readonly at: number; readonly requests: { readonly pending: number; readonly count: number; readonly items: readonly ({ readonly approval_id: string; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly asked_by: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly grant?: { readonly key: string; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined } | undefined; readonly speaks_for_user?: true | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly credential?: { readonly key?: string | undefined; readonly expires_at?: number | undefined } | undefined }; readonly expires_at: number })[] }; readonly servers: { readonly all: number; readonly count: number; readonly items: readonly ({ readonly server: string; readonly state: string; readonly tools: number; readonly since: number; readonly failures: number; readonly last_failure?: string | undefined; readonly last_line?: string | undefined })[] }; readonly unknown: { readonly count: number; readonly items: readonly ({ readonly call_id: string; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly asked_by: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly grant?: { readonly key: string; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined } | undefined; readonly speaks_for_user?: true | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly credential?: { readonly key?: string | undefined; readonly expires_at?: number | undefined } | undefined }; readonly received_at: number; readonly problem?: { readonly code: string; readonly says: string; readonly about: { readonly [name: string]: string } } | undefined })[] }; readonly consents: { readonly count: number; readonly items: readonly ({ readonly consent_id: string; readonly actor: string; readonly tool: string; readonly expires_at: number; readonly calls: number; readonly calls_left: number })[] }; readonly tools: { readonly count: number; readonly items: readonly ({ readonly tool_id: string; readonly is: "new" | "changed" })[] } }
  }
  /** Entries of a stream from `from` on, or after `after`, or the `last` ones */
  'GET /v1/audit': {
    query: { readonly stream?: string | undefined; readonly from?: number | undefined; readonly last?: number | undefined; readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly at: number; readonly type: string; readonly actor: string; readonly trace: string; readonly subject: { readonly [name: string]: string }; readonly args_hash?: string | undefined; readonly verdict?: { readonly effect: "allow" | "ask" | "block"; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly evidence: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[]; readonly route?: { readonly id: string; readonly group?: string | undefined; readonly approvers?: readonly (string)[] | undefined; readonly people: number; readonly channels?: readonly (string)[] | undefined; readonly expires_ms?: number | undefined; readonly escalation?: { readonly after_ms: number; readonly to: string; readonly channels?: readonly (string)[] | undefined } | undefined } | undefined; readonly observed?: "allow" | "ask" | "block" | undefined } | undefined; readonly outcome?: string | undefined; readonly about?: { readonly [name: string]: Json } | undefined; readonly v: 1; readonly stream: string; readonly seq: number; readonly prev_hash: string; readonly hash: string })[]; readonly next?: number | undefined }
  }
  /** Continue after a broken audit: sign the stored entries as they are, with the reason */
  'POST /v1/audit/breaks': {
    body: { readonly reason: string }
    answer: { readonly checkpoint: { readonly body: { readonly v: 1; readonly number: number; readonly at: number; readonly count: number; readonly prev: string; readonly streams: readonly ({ readonly stream: string; readonly from: number; readonly to: number; readonly head: string; readonly root: string })[]; readonly since_break?: number | undefined; readonly break?: { readonly by: string; readonly reason: string; readonly was: string; readonly before: number; readonly left_out: readonly (string)[] } | undefined }; readonly key: string; readonly signature: string } | null }
  }
  /** Sign a checkpoint now */
  'POST /v1/audit/checkpoint': {
    answer: { readonly checkpoint: { readonly body: { readonly v: 1; readonly number: number; readonly at: number; readonly count: number; readonly prev: string; readonly streams: readonly ({ readonly stream: string; readonly from: number; readonly to: number; readonly head: string; readonly root: string })[]; readonly since_break?: number | undefined; readonly break?: { readonly by: string; readonly reason: string; readonly was: string; readonly before: number; readonly left_out: readonly (string)[] } | undefined }; readonly key: string; readonly signature: string } | null }
  }
  /** Entries and checkpoints since `since` (ms), as jsonl or csv */
  'GET /v1/audit/export': {
    query: { readonly format?: string | undefined; readonly since?: number | undefined }
    answer: string
  }
  /** The public keys that checkpoints are verified with, the active one first */
  'GET /v1/audit/keys': {
    answer: { readonly items: readonly ({ readonly key: string; readonly public_key: string; readonly active: boolean })[] }
  }
  /** Entries of all streams, newest first; with `from`, those of one stream from this entry backwards */
  'GET /v1/audit/newest': {
    query: { readonly stream?: string | undefined; readonly from?: number | undefined; readonly limit?: number | undefined; readonly cursor?: string | undefined }
    answer: { readonly items: readonly ({ readonly at: number; readonly type: string; readonly actor: string; readonly trace: string; readonly subject: { readonly [name: string]: string }; readonly args_hash?: string | undefined; readonly verdict?: { readonly effect: "allow" | "ask" | "block"; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly evidence: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[]; readonly route?: { readonly id: string; readonly group?: string | undefined; readonly approvers?: readonly (string)[] | undefined; readonly people: number; readonly channels?: readonly (string)[] | undefined; readonly expires_ms?: number | undefined; readonly escalation?: { readonly after_ms: number; readonly to: string; readonly channels?: readonly (string)[] | undefined } | undefined } | undefined; readonly observed?: "allow" | "ask" | "block" | undefined } | undefined; readonly outcome?: string | undefined; readonly about?: { readonly [name: string]: Json } | undefined; readonly v: 1; readonly stream: string; readonly seq: number; readonly prev_hash: string; readonly hash: string })[]; readonly next_cursor?: string | undefined }
  }
  /** A portable proof of one entry */
  'GET /v1/audit/prove/{seq}': {
    path: { readonly seq: string }
    query: { readonly stream?: string | undefined }
    answer: { readonly v: 1; readonly entry: { readonly at: number; readonly type: string; readonly actor: string; readonly trace: string; readonly subject: { readonly [name: string]: string }; readonly args_hash?: string | undefined; readonly verdict?: { readonly effect: "allow" | "ask" | "block"; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly evidence: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[]; readonly route?: { readonly id: string; readonly group?: string | undefined; readonly approvers?: readonly (string)[] | undefined; readonly people: number; readonly channels?: readonly (string)[] | undefined; readonly expires_ms?: number | undefined; readonly escalation?: { readonly after_ms: number; readonly to: string; readonly channels?: readonly (string)[] | undefined } | undefined } | undefined; readonly observed?: "allow" | "ask" | "block" | undefined } | undefined; readonly outcome?: string | undefined; readonly about?: { readonly [name: string]: Json } | undefined; readonly v: 1; readonly stream: string; readonly seq: number; readonly prev_hash: string; readonly hash: string }; readonly path: readonly ({ readonly side: "left" | "right"; readonly hash: string })[]; readonly checkpoint: { readonly body: { readonly v: 1; readonly number: number; readonly at: number; readonly count: number; readonly prev: string; readonly streams: readonly ({ readonly stream: string; readonly from: number; readonly to: number; readonly head: string; readonly root: string })[]; readonly since_break?: number | undefined; readonly break?: { readonly by: string; readonly reason: string; readonly was: string; readonly before: number; readonly left_out: readonly (string)[] } | undefined }; readonly key: string; readonly signature: string }; readonly public_key: string }
  }
  /** Verify the whole hash chain */
  'GET /v1/audit/verify': {
    answer: { readonly ok: boolean; readonly entries: number; readonly checkpoints: number; readonly streams: readonly ({ readonly stream: string; readonly seq: number; readonly head: string })[]; readonly unsigned: number; readonly breaks?: readonly ({ readonly [name: string]: Json })[] | undefined; readonly first?: { readonly what: string; readonly stream: string; readonly seq: number; readonly says: string } | undefined }
  }
  /** Verify the whole hash chain, and compare it with checkpoints that were saved elsewhere */
  'POST /v1/audit/verify': {
    body: { readonly against: readonly ({ readonly body: { readonly v: 1; readonly number: number; readonly at: number; readonly count: number; readonly prev: string; readonly streams: readonly ({ readonly stream: string; readonly from: number; readonly to: number; readonly head: string; readonly root: string })[]; readonly since_break?: number | undefined; readonly break?: { readonly by: string; readonly reason: string; readonly was: string; readonly before: number; readonly left_out: readonly (string)[] } | undefined }; readonly key: string; readonly signature: string })[] }
    answer: { readonly ok: boolean; readonly entries: number; readonly checkpoints: number; readonly streams: readonly ({ readonly stream: string; readonly seq: number; readonly head: string })[]; readonly unsigned: number; readonly breaks?: readonly ({ readonly [name: string]: Json })[] | undefined; readonly first?: { readonly what: string; readonly stream: string; readonly seq: number; readonly says: string } | undefined }
  }
  /** Calls, newest first, filtered by state, tool, agent or caller, person, time (ms) and words. With words, a page may be short and still have a `next`: one request searches a limited number of calls */
  'GET /v1/calls': {
    query: { readonly state?: string | undefined; readonly tool?: string | undefined; readonly agent?: string | undefined; readonly caller?: string | undefined; readonly user?: string | undefined; readonly since?: number | undefined; readonly until?: number | undefined; readonly q?: string | undefined; readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly call_id: string; readonly tool_id: string; readonly state: "pending" | "executing" | "executed" | "refused" | "failed" | "unknown" | "not_reported"; readonly effect: "allow" | "ask" | "block"; readonly observed?: "allow" | "ask" | "block" | undefined; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly why: string; readonly rule?: string | undefined; readonly asked_by: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly grant?: { readonly key: string; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined } | undefined; readonly speaks_for_user?: true | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly credential?: { readonly key?: string | undefined; readonly expires_at?: number | undefined } | undefined }; readonly thread: string; readonly by_run?: { readonly run_id: string; readonly kind: string; readonly step: string; readonly lane: string | null } | undefined; readonly received_at: number; readonly started_at?: number | undefined; readonly ended_at?: number | undefined; readonly approval_id?: string | undefined; readonly consent_id?: string | undefined; readonly problem?: { readonly code: string; readonly says: string; readonly about: { readonly [name: string]: string } } | undefined; readonly expired_at?: number | undefined; readonly proposed_args?: string | undefined; readonly rollback?: string | undefined; readonly choices?: readonly ("retry" | "done" | "failed")[] | undefined })[]; readonly next?: number | undefined }
  }
  /** Call a tool */
  'POST /v1/calls': {
    query: { readonly wait_ms?: number | undefined }
    body: { readonly tool: string; readonly args?: Json | undefined; readonly thread?: string | undefined; readonly canonical_args?: string | undefined; readonly args_hash?: string | undefined; readonly dry_run?: "first" | "only" | undefined; readonly user_words?: string | undefined }
    answer: { readonly status: "executed"; readonly call_id: string; readonly result: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined }; readonly output: { readonly evicted: boolean; readonly size_chars: number; readonly rehydration_allowed: boolean; readonly pointer?: string | undefined; readonly summary?: string | undefined }; readonly verified?: Json | undefined; readonly read_back?: string | undefined; readonly rollback?: string | undefined } | { readonly status: "pending"; readonly call_id: string; readonly approval_id: string; readonly url: string; readonly hub?: string | undefined; readonly expires_at: number; readonly evidence: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[] } | { readonly status: "executing"; readonly call_id: string } | { readonly status: "not_reported"; readonly call_id: string } | { readonly status: "unknown"; readonly call_id: string; readonly retry?: { readonly approval_id: string; readonly url: string; readonly hub?: string | undefined; readonly expires_at: number } | undefined } | { readonly status: "previewed"; readonly tool: string; readonly preview: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined } }
  }
  /** The outcome of the call made with an idempotency key, if its answer was lost; runs nothing */
  'GET /v1/calls/by-key/{idempotency_key}': {
    path: { readonly idempotency_key: string }
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    answer: { readonly status: "executed"; readonly call_id: string; readonly result: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined }; readonly output: { readonly evicted: boolean; readonly size_chars: number; readonly rehydration_allowed: boolean; readonly pointer?: string | undefined; readonly summary?: string | undefined }; readonly verified?: Json | undefined; readonly read_back?: string | undefined; readonly rollback?: string | undefined } | { readonly status: "pending"; readonly call_id: string; readonly approval_id: string; readonly url: string; readonly hub?: string | undefined; readonly expires_at: number; readonly evidence: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[] } | { readonly status: "executing"; readonly call_id: string } | { readonly status: "not_reported"; readonly call_id: string } | { readonly status: "unknown"; readonly call_id: string; readonly retry?: { readonly approval_id: string; readonly url: string; readonly hub?: string | undefined; readonly expires_at: number } | undefined } | { readonly status: "previewed"; readonly tool: string; readonly preview: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined } }
  }
  /** The outcome of a call, with an optional bounded wait (wait_ms) */
  'GET /v1/calls/{call_id}': {
    path: { readonly call_id: string }
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    answer: { readonly status: "executed"; readonly call_id: string; readonly result: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined }; readonly output: { readonly evicted: boolean; readonly size_chars: number; readonly rehydration_allowed: boolean; readonly pointer?: string | undefined; readonly summary?: string | undefined }; readonly verified?: Json | undefined; readonly read_back?: string | undefined; readonly rollback?: string | undefined } | { readonly status: "pending"; readonly call_id: string; readonly approval_id: string; readonly url: string; readonly hub?: string | undefined; readonly expires_at: number; readonly evidence: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[] } | { readonly status: "executing"; readonly call_id: string } | { readonly status: "not_reported"; readonly call_id: string } | { readonly status: "unknown"; readonly call_id: string; readonly retry?: { readonly approval_id: string; readonly url: string; readonly hub?: string | undefined; readonly expires_at: number } | undefined } | { readonly status: "previewed"; readonly tool: string; readonly preview: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined } }
  }
  /** One call, from its request to its outcome */
  'GET /v1/calls/{call_id}/life': {
    path: { readonly call_id: string }
    query: { readonly session?: string | undefined }
    answer: { readonly call_id: string; readonly tool_id: string; readonly state: "pending" | "executing" | "executed" | "refused" | "failed" | "unknown" | "not_reported"; readonly effect: "allow" | "ask" | "block"; readonly observed?: "allow" | "ask" | "block" | undefined; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly why: string; readonly rule?: string | undefined; readonly asked_by: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly grant?: { readonly key: string; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined } | undefined; readonly speaks_for_user?: true | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly credential?: { readonly key?: string | undefined; readonly expires_at?: number | undefined } | undefined }; readonly thread: string; readonly by_run?: { readonly run_id: string; readonly kind: string; readonly step: string; readonly lane: string | null } | undefined; readonly received_at: number; readonly started_at?: number | undefined; readonly ended_at?: number | undefined; readonly approval_id?: string | undefined; readonly consent_id?: string | undefined; readonly problem?: { readonly code: string; readonly says: string; readonly about: { readonly [name: string]: string } } | undefined; readonly expired_at?: number | undefined; readonly proposed_args?: string | undefined; readonly rollback?: string | undefined; readonly choices?: readonly ("retry" | "done" | "failed")[] | undefined; readonly risk: { readonly class: "low" | "medium" | "high" | "critical"; readonly effects: readonly ("read" | "write" | "destructive" | "external" | "privileged")[]; readonly effects_from: "configured" | "pack" | "annotated" | "inferred" | "unknown"; readonly why: readonly (string)[] }; readonly verdict: { readonly effect: "allow" | "ask" | "block"; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly evidence: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[]; readonly route?: { readonly id: string; readonly group?: string | undefined; readonly approvers?: readonly (string)[] | undefined; readonly people: number; readonly channels?: readonly (string)[] | undefined; readonly expires_ms?: number | undefined; readonly escalation?: { readonly after_ms: number; readonly to: string; readonly channels?: readonly (string)[] | undefined } | undefined } | undefined; readonly observed?: "allow" | "ask" | "block" | undefined }; readonly policy_version: string; readonly definition_hash: string; readonly args_hash: string; readonly trace: string; readonly arguments?: string | undefined; readonly hidden: readonly ({ readonly at: string; readonly type: string; readonly length: number })[]; readonly result?: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined; readonly _meta?: { readonly [name: string]: Json } | undefined } | undefined; readonly output?: { readonly evicted: boolean; readonly size_chars: number; readonly rehydration_allowed: boolean; readonly pointer?: string | undefined; readonly summary?: string | undefined } | undefined; readonly moments: readonly ({ readonly at: number; readonly is: "asked" | "judged" | "held" | "edited" | "seconded" | "approved" | "denied" | "expired" | "withdrawn" | "stale" | "consumed" | "started" | "checked" | "ended" | "read_back" | "settled" | "erased"; readonly by?: string | undefined; readonly says: string; readonly approval_id?: string | undefined })[] }
  }
  /** Settle a call whose outcome is unknown */
  'POST /v1/calls/{call_id}/resume': {
    path: { readonly call_id: string }
    body: { readonly as: "retry" | "done" | "failed"; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined }
    answer: { readonly status: string; readonly call_id: string; readonly retry?: { readonly approval_id: string; readonly url: string; readonly hub?: string | undefined; readonly expires_at: number } | undefined }
  }
  /** Where a call came from: what the user asked for, which other texts ask for it, and the source of each argument */
  'GET /v1/calls/{call_id}/why': {
    path: { readonly call_id: string }
    query: { readonly session?: string | undefined }
    answer: { readonly call_id: string; readonly tool_id: string; readonly declared_read?: string | undefined; readonly licence: "strong" | "weak" | "plausible" | "none"; readonly user_words: boolean; readonly contests: readonly ({ readonly label: string; readonly call_id?: string | undefined; readonly time: number })[]; readonly values: readonly ({ readonly at: string; readonly role: "destination" | "entity" | "content" | "date" | "amount" | "flag"; readonly from: "user" | "constant" | "approved" | "data" | "none"; readonly source?: { readonly at: string; readonly kind: "user" | "claimed" | "operator" | "approved" | "tool" | "outside"; readonly label: string; readonly where?: { readonly call_id?: string | undefined; readonly path?: string | undefined } | undefined; readonly excerpt?: string | undefined; readonly time?: number | undefined } | undefined })[]; readonly reasons: readonly ({ readonly rule: string; readonly at?: string | undefined })[] }
  }
  /** Withdraw your own held call */
  'POST /v1/calls/{call_id}/withdraw': {
    path: { readonly call_id: string }
    answer: { readonly approval_id: string; readonly state: "pending" | "approved" | "consumed" | "stale" | "edited" | "denied" | "expired" | "withdrawn" }
  }
  /** The configured channels, the events of each, and whether people can decide through it */
  'GET /v1/channels': {
    answer: { readonly items: readonly ({ readonly name: string; readonly events: readonly (string)[]; readonly answers: boolean })[] }
  }
  /** A signed decision, as the channel's approver */
  'POST /v1/channels/{name}/callback': {
    path: { readonly name: string }
    answer: { readonly approval_id: string; readonly state: "pending" | "approved" | "consumed" | "stale" | "edited" | "denied" | "expired" | "withdrawn"; readonly decisions: number }
  }
  /** Consents with what is left of each, newest first */
  'GET /v1/consents': {
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly v: 1; readonly consent_id: string; readonly actor: string; readonly user?: string | undefined; readonly what: { readonly tool: string; readonly args: readonly ({ readonly path: string; readonly op: "equals"; readonly value: Json } | { readonly path: string; readonly op: "in"; readonly value: readonly (Json)[] } | { readonly path: string; readonly op: "prefix"; readonly value: string } | { readonly path: string; readonly op: "min"; readonly value: number } | { readonly path: string; readonly op: "max"; readonly value: number } | { readonly path: string; readonly op: "any" })[]; readonly definition_hash?: string | undefined }; readonly lanes?: readonly (string)[] | undefined; readonly calls: number; readonly cost?: number | undefined; readonly minted_by: string; readonly minted_user?: string | undefined; readonly minted_key?: string | undefined; readonly minted_at: number; readonly expires_at: number; readonly from_approval?: string | undefined; readonly revoked_by?: string | undefined; readonly revoked_at?: number | undefined; readonly state: "active" | "exhausted" | "expired" | "revoked"; readonly calls_left: number; readonly cost_left?: number | undefined })[]; readonly next?: number | undefined }
  }
  /** Create a consent: permit calls in advance, within explicit limits */
  'POST /v1/consents': {
    body: { readonly actor: string; readonly user?: string | undefined; readonly what: { readonly tool: string; readonly args: readonly ({ readonly path: string; readonly op: "equals"; readonly value: Json } | { readonly path: string; readonly op: "in"; readonly value: readonly (Json)[] } | { readonly path: string; readonly op: "prefix"; readonly value: string } | { readonly path: string; readonly op: "min"; readonly value: number } | { readonly path: string; readonly op: "max"; readonly value: number } | { readonly path: string; readonly op: "any" })[]; readonly definition_hash?: string | undefined }; readonly lanes?: readonly (string)[] | undefined; readonly calls: number; readonly cost?: number | undefined; readonly expires_in_s: number; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined }
    answer: { readonly v: 1; readonly consent_id: string; readonly actor: string; readonly user?: string | undefined; readonly what: { readonly tool: string; readonly args: readonly ({ readonly path: string; readonly op: "equals"; readonly value: Json } | { readonly path: string; readonly op: "in"; readonly value: readonly (Json)[] } | { readonly path: string; readonly op: "prefix"; readonly value: string } | { readonly path: string; readonly op: "min"; readonly value: number } | { readonly path: string; readonly op: "max"; readonly value: number } | { readonly path: string; readonly op: "any" })[]; readonly definition_hash?: string | undefined }; readonly lanes?: readonly (string)[] | undefined; readonly calls: number; readonly cost?: number | undefined; readonly minted_by: string; readonly minted_user?: string | undefined; readonly minted_key?: string | undefined; readonly minted_at: number; readonly expires_at: number; readonly from_approval?: string | undefined; readonly revoked_by?: string | undefined; readonly revoked_at?: number | undefined }
  }
  /** How many calls of the last week a consent would have allowed; nothing is created */
  'POST /v1/consents/preview': {
    body: { readonly actor: string; readonly user?: string | undefined; readonly what: { readonly tool: string; readonly args: readonly ({ readonly path: string; readonly op: "equals"; readonly value: Json } | { readonly path: string; readonly op: "in"; readonly value: readonly (Json)[] } | { readonly path: string; readonly op: "prefix"; readonly value: string } | { readonly path: string; readonly op: "min"; readonly value: number } | { readonly path: string; readonly op: "max"; readonly value: number } | { readonly path: string; readonly op: "any" })[]; readonly definition_hash?: string | undefined }; readonly lanes?: readonly (string)[] | undefined; readonly calls: number; readonly cost?: number | undefined; readonly expires_in_s: number }
    answer: { readonly since: number; readonly until: number; readonly covered: number; readonly looked_at: number; readonly complete: boolean; readonly examples: readonly ({ readonly call_id: string; readonly tool_id: string; readonly state: "pending" | "executing" | "executed" | "refused" | "failed" | "unknown" | "not_reported"; readonly effect: "allow" | "ask" | "block"; readonly observed?: "allow" | "ask" | "block" | undefined; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly why: string; readonly rule?: string | undefined; readonly asked_by: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly grant?: { readonly key: string; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined } | undefined; readonly speaks_for_user?: true | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly credential?: { readonly key?: string | undefined; readonly expires_at?: number | undefined } | undefined }; readonly thread: string; readonly by_run?: { readonly run_id: string; readonly kind: string; readonly step: string; readonly lane: string | null } | undefined; readonly received_at: number; readonly started_at?: number | undefined; readonly ended_at?: number | undefined; readonly approval_id?: string | undefined; readonly consent_id?: string | undefined; readonly problem?: { readonly code: string; readonly says: string; readonly about: { readonly [name: string]: string } } | undefined; readonly expired_at?: number | undefined; readonly proposed_args?: string | undefined; readonly rollback?: string | undefined; readonly choices?: readonly ("retry" | "done" | "failed")[] | undefined })[] }
  }
  /** Revoke a consent */
  'DELETE /v1/consents/{consent_id}': {
    path: { readonly consent_id: string }
    answer: { readonly v: 1; readonly consent_id: string; readonly actor: string; readonly user?: string | undefined; readonly what: { readonly tool: string; readonly args: readonly ({ readonly path: string; readonly op: "equals"; readonly value: Json } | { readonly path: string; readonly op: "in"; readonly value: readonly (Json)[] } | { readonly path: string; readonly op: "prefix"; readonly value: string } | { readonly path: string; readonly op: "min"; readonly value: number } | { readonly path: string; readonly op: "max"; readonly value: number } | { readonly path: string; readonly op: "any" })[]; readonly definition_hash?: string | undefined }; readonly lanes?: readonly (string)[] | undefined; readonly calls: number; readonly cost?: number | undefined; readonly minted_by: string; readonly minted_user?: string | undefined; readonly minted_key?: string | undefined; readonly minted_at: number; readonly expires_at: number; readonly from_approval?: string | undefined; readonly revoked_by?: string | undefined; readonly revoked_at?: number | undefined }
  }
  /** Who has delegated approvals to whom, and until when */
  'GET /v1/delegations': {
    answer: { readonly items: readonly ({ readonly delegation_id: string; readonly from: string; readonly to: string; readonly created_at: number; readonly until: number; readonly reason?: string | undefined; readonly ended_at?: number | undefined })[]; readonly next?: number | undefined }
  }
  /** Delegate your approvals to another approver for a period; it is audited */
  'POST /v1/delegations': {
    body: { readonly to: string; readonly for_s: number; readonly reason?: string | undefined; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined }
    answer: { readonly delegation_id: string; readonly from: string; readonly to: string; readonly created_at: number; readonly until: number; readonly reason?: string | undefined; readonly ended_at?: number | undefined }
  }
  /** End a delegation now */
  'DELETE /v1/delegations/{delegation_id}': {
    path: { readonly delegation_id: string }
    answer: { readonly delegation_id: string; readonly from: string; readonly to: string; readonly created_at: number; readonly until: number; readonly reason?: string | undefined; readonly ended_at?: number | undefined }
  }
  /** The findings of `sluice doctor` on the machine of the gate, each with what to do about it */
  'GET /v1/doctor': {
    answer: { readonly ok: boolean; readonly findings: readonly ({ readonly severity: "error" | "warning" | "note" | "ok"; readonly about: string; readonly says: string; readonly do?: string | undefined })[] }
  }
  /** Remove one person's arguments, outputs and artifacts now */
  'POST /v1/erasures': {
    body: { readonly user: string; readonly withdraw?: boolean | undefined }
    answer: { readonly user: string; readonly calls: number; readonly runs: number; readonly habits: number; readonly artifacts: number; readonly open: readonly (string)[] }
  }
  /** An event for a webhook gateway of a document; its signature is the credential */
  'POST /v1/events/{source}': {
    path: { readonly source: string }
    answer: { readonly run_id: string }
  }
  /** Whether a model is configured for the agent, and whether flows are on */
  'GET /v1/features': {
    answer: { readonly agent: { readonly model: "configured" | "scripted"; readonly phrases: readonly (string)[] }; readonly flows: { readonly runs: { readonly on: boolean; readonly code?: string | undefined; readonly says?: string | undefined; readonly do?: string | undefined }; readonly execution: { readonly on: boolean; readonly code?: string | undefined; readonly says?: string | undefined; readonly do?: string | undefined } } }
  }
  /** The signed decisions about requests of this node; waits up to `wait_s` seconds for one */
  'POST /v1/hub/decisions': {
    body: { readonly approvals: readonly (string)[]; readonly wait_s?: number | undefined }
    answer: { readonly words: readonly (string)[] }
  }
  /** The public keys with which this hub signs */
  'GET /v1/hub/key': {
    answer: { readonly keys: readonly ({ readonly key: string; readonly public_key: string; readonly state: "active" | "next" | "retired" })[] }
  }
  /** Prepare the next signing key of this hub, or activate it */
  'POST /v1/hub/key': {
    body: { readonly step: "prepare" | "activate" }
    answer: { readonly keys: readonly ({ readonly key: string; readonly public_key: string; readonly state: "active" | "next" | "retired" })[] }
  }
  /** The nodes of this hub, and how many of their calls wait for a decision */
  'GET /v1/hub/nodes': {
    answer: { readonly items: readonly ({ readonly node: string; readonly user: string; readonly state: "enrolled" | "revoked"; readonly seen_at?: number | undefined; readonly pending: number })[]; readonly next?: number | undefined }
  }
  /** A node reports how a call ended */
  'POST /v1/hub/outcomes': {
    body: { readonly is: "outcome"; readonly message: string; readonly nonce: string; readonly approval_id: string; readonly state: "executed" | "failed" | "refused" | "unknown"; readonly code?: string | undefined; readonly word?: string | undefined; readonly ended_at?: number | undefined }
    answer: { readonly words: readonly (string)[] }
  }
  /** A node asks for a decision about a held call; the answer is signed */
  'POST /v1/hub/requests': {
    body: { readonly is: "request"; readonly message: string; readonly nonce: string; readonly approval_id: string; readonly tool: string; readonly definition_hash: string; readonly args_hash: string; readonly trace: string; readonly packet_digest: string; readonly expires_at: number; readonly context: { readonly caller: string; readonly user: string; readonly thread: string; readonly run?: string | undefined; readonly kind?: string | undefined; readonly step?: string | undefined; readonly document?: string | undefined; readonly protocol?: string | undefined; readonly sender?: string | undefined; readonly room?: string | undefined }; readonly approvers?: readonly (string)[] | undefined; readonly packet: { readonly title: string; readonly sentence: { readonly action: "send" | "pay" | "delete" | "write_file" | "run_command" | "change" | "fetch" | "read" | "unknown"; readonly pieces: readonly ({ readonly is: "text"; readonly text: string } | { readonly is: "value"; readonly text: string; readonly at?: string | undefined; readonly mark?: string | undefined } | { readonly is: "outside"; readonly text: string; readonly at: string; readonly mark?: string | undefined })[]; readonly button: string; readonly confirm?: { readonly what: "recipient" | "amount" | "file" | "folder" | "command" | "host" | "name" | "tool"; readonly words: readonly (string)[] } | undefined }; readonly risk: { readonly class: "low" | "medium" | "high" | "critical"; readonly effects: readonly ("read" | "write" | "destructive" | "external" | "privileged")[]; readonly effects_from: "configured" | "pack" | "annotated" | "inferred" | "unknown"; readonly why: readonly (string)[] }; readonly sources: readonly ({ readonly at: string; readonly kind: "user" | "claimed" | "operator" | "approved" | "tool" | "outside"; readonly label: string; readonly where?: { readonly call_id?: string | undefined; readonly path?: string | undefined } | undefined; readonly excerpt?: string | undefined; readonly time?: number | undefined })[]; readonly changes: readonly ({ readonly of: "arguments"; readonly fields: readonly ({ readonly at: string; readonly before?: string | undefined; readonly after?: string | undefined })[] } | { readonly of: "file"; readonly path: string; readonly is: "written" | "edited" | "deleted"; readonly added: number; readonly removed: number; readonly lines: readonly ({ readonly is: "same" | "added" | "removed" | "skipped"; readonly text: string })[]; readonly cut: boolean } | { readonly of: "dry_run"; readonly fields: readonly ({ readonly at: string; readonly before?: string | undefined; readonly after?: string | undefined })[] })[]; readonly facts: { readonly undo: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly read_back: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly check: { readonly is: "yes" | "no" | "unknown"; readonly says: string }; readonly dry_run: { readonly is: "yes" | "no" | "unknown"; readonly says: string } }; readonly why_this: string; readonly required_inputs: readonly (string)[]; readonly proposed_args: string; readonly risk_notes: readonly ({ readonly decider: string; readonly effect: "allow" | "ask" | "block"; readonly rule: string; readonly says: string; readonly source: string; readonly at: number; readonly strength?: "simple" | "strong" | "two_person" | undefined; readonly value_at?: string | undefined; readonly from_call?: string | undefined; readonly preview?: true | undefined; readonly proof?: "passphrase" | undefined })[]; readonly preview?: { readonly content: readonly ({ readonly [name: string]: Json })[]; readonly structuredContent?: Json | undefined; readonly isError?: boolean | undefined } | undefined; readonly rollback: string; readonly check: string; readonly verify: string; readonly missing: readonly (string)[]; readonly strength: "simple" | "strong" | "two_person"; readonly hidden: readonly ({ readonly in: "proposed_args" | "edited_from" | "preview"; readonly at: string; readonly type: string; readonly length: number })[] } }
    answer: { readonly words: readonly (string)[] }
  }
  /** Judge and record a tool call that a coding agent runs itself; waits for a person up to wait_ms */
  'POST /v1/judgements': {
    body: { readonly client: "claude-code" | "codex" | "copilot" | "cursor" | "gemini" | "opencode" | "qwen"; readonly tool: string; readonly args?: Json | undefined; readonly thread: string; readonly server?: string | undefined; readonly folders?: readonly (string)[] | undefined; readonly wait_ms?: number | undefined }
    answer: { readonly decision: "allow" | "ask" | "block"; readonly reason?: string | undefined; readonly call_id?: string | undefined; readonly approved?: true | undefined; readonly approval_id?: string | undefined; readonly url?: string | undefined; readonly hub?: string | undefined; readonly expires_at?: number | undefined }
  }
  /** Report the outcome of a tool call that a coding agent ran itself */
  'POST /v1/judgements/outcomes': {
    body: { readonly client: "claude-code" | "codex" | "copilot" | "cursor" | "gemini" | "opencode" | "qwen"; readonly tool: string; readonly args?: Json | undefined; readonly thread: string; readonly server?: string | undefined; readonly folders?: readonly (string)[] | undefined; readonly output: string; readonly failed?: boolean | undefined }
    answer: { readonly recorded: boolean }
  }
  /** What the user typed to a coding agent */
  'POST /v1/judgements/words': {
    body: { readonly client: "claude-code" | "codex" | "copilot" | "cursor" | "gemini" | "opencode" | "qwen"; readonly thread: string; readonly text: string }
    answer: { readonly heard: true }
  }
  /** Keys, without their secrets */
  'GET /v1/keys': {
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly key_id: string; readonly caller: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly surface?: "search" | "passthrough" | "auto" | undefined }; readonly created_at: number; readonly expires_at?: number | undefined; readonly revoked_at?: number | undefined; readonly grants_kept?: true | undefined })[]; readonly next?: number | undefined }
  }
  /** Create a key; it is shown once */
  'POST /v1/keys': {
    body: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly name: string; readonly user?: string | undefined; readonly ttl_s?: number | undefined; readonly tools?: readonly (string)[] | undefined; readonly calls?: number | undefined; readonly surface?: "search" | "passthrough" | "auto" | undefined; readonly flow_role?: "viewer" | "editor" | "admin" | undefined; readonly vault?: string | undefined; readonly speaks_for_user?: true | undefined; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined }
    answer: { readonly key_id: string; readonly caller: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string; readonly surface?: "search" | "passthrough" | "auto" | undefined }; readonly created_at: number; readonly expires_at?: number | undefined; readonly revoked_at?: number | undefined; readonly grants_kept?: true | undefined; readonly key: string }
  }
  /** Replace a signing key */
  'POST /v1/keys/rotate': {
    body: { readonly which: "token" | "checkpoint" }
    answer: { readonly rotated: "token" | "checkpoint" }
  }
  /** Revoke a key, and with it what it granted */
  'DELETE /v1/keys/{key_id}': {
    path: { readonly key_id: string }
    query: { readonly keep_grants?: string | undefined }
    answer: { readonly grants: readonly ({ readonly what: "consent" | "flow_consent" | "delegation" | "approval" | "held_call" | "login" | "key"; readonly id: string; readonly says: string; readonly ends: boolean })[]; readonly key_id: string; readonly revoked_at: number }
  }
  /** What goes back to a key, and what of it ends when the key is revoked */
  'GET /v1/keys/{key_id}/grants': {
    path: { readonly key_id: string }
    answer: { readonly grants: readonly ({ readonly what: "consent" | "flow_consent" | "delegation" | "approval" | "held_call" | "login" | "key"; readonly id: string; readonly says: string; readonly ends: boolean })[] }
  }
  /** Log out here */
  'DELETE /v1/login': {
    answer: { readonly ended: number }
  }
  /** Who is logged in, and the CSRF token for requests from the page */
  'GET /v1/login': {
    answer: { readonly caller: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string }; readonly how: "key" | "oidc" | "credential"; readonly csrf?: string | undefined; readonly expires_at?: number | undefined; readonly idle_ms?: number | undefined; readonly proofs: { readonly passphrase: boolean; readonly passkeys: number; readonly needed: boolean } }
  }
  /** Log in with the API key of a person; the answer sets a cookie */
  'POST /v1/login': {
    body: { readonly key: string }
    answer: { readonly caller: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string }; readonly how: "key" | "oidc" | "credential"; readonly csrf?: string | undefined; readonly expires_at?: number | undefined; readonly idle_ms?: number | undefined; readonly proofs: { readonly passphrase: boolean; readonly passkeys: number; readonly needed: boolean } }
  }
  /** Whether somebody is logged in in this browser, and who; being logged out is not an error here */
  'GET /v1/login/here': {
    answer: { readonly login?: { readonly caller: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string }; readonly how: "key" | "oidc" | "credential"; readonly csrf?: string | undefined; readonly expires_at?: number | undefined; readonly idle_ms?: number | undefined; readonly proofs: { readonly passphrase: boolean; readonly passkeys: number; readonly needed: boolean } } | undefined }
  }
  /** The ways to log in to the console */
  'GET /v1/login/methods': {
    answer: { readonly key: true; readonly oidc: readonly ({ readonly name: string })[] }
  }
  /** Begin a login with an issuer: the answer has the address that the browser opens */
  'POST /v1/login/oidc': {
    body: { readonly issuer: string; readonly browser: string }
    answer: { readonly url: string }
  }
  /** Complete a login with an issuer, in the browser that began it; the answer sets a cookie */
  'POST /v1/login/oidc/callback': {
    body: { readonly browser: string; readonly state?: string | undefined; readonly code?: string | undefined; readonly iss?: string | undefined; readonly error?: string | undefined }
    answer: { readonly caller: { readonly kind: "agent" | "user" | "approver" | "reviewer" | "admin" | "node"; readonly id: string; readonly user: string }; readonly how: "key" | "oidc" | "credential"; readonly csrf?: string | undefined; readonly expires_at?: number | undefined; readonly idle_ms?: number | undefined; readonly proofs: { readonly passphrase: boolean; readonly passkeys: number; readonly needed: boolean } }
  }
  /** Log out everywhere */
  'DELETE /v1/logins': {
    answer: { readonly ended: number }
  }
  /** Statistics of the last hours (`hours`, by default 24, at most 168) */
  'GET /v1/overview': {
    query: { readonly hours?: number | undefined }
    answer: { readonly from: number; readonly to: number; readonly complete_from: number; readonly calls: number; readonly per_minute: number; readonly step_ms: number; readonly series: readonly ({ readonly at: number; readonly ran: number; readonly asked: number; readonly blocked: number; readonly failed: number })[]; readonly mix: { readonly ran: number; readonly asked: number; readonly blocked: number; readonly failed: number; readonly unknown: number }; readonly held: { readonly count: number; readonly median_ms?: number | undefined; readonly buckets: readonly ({ readonly under_minutes: number | null; readonly count: number })[]; readonly expired: number; readonly waiting: number }; readonly slowest: readonly ({ readonly tool_id: string; readonly calls: number; readonly p95_ms: number })[]; readonly callers: readonly ({ readonly id: string; readonly user: string; readonly calls: number; readonly asked: number; readonly blocked: number })[]; readonly tokens: { readonly all_tools: number; readonly search: number; readonly tools: number } }
  }
  /** What is known about well-known tool servers, and which tools of this gate it applies to */
  'GET /v1/packs': {
    answer: { readonly items: readonly ({ readonly pack: string; readonly title: string; readonly from: string; readonly source: "built-in" | "operator"; readonly packages: readonly (string)[]; readonly addresses: readonly (string)[]; readonly clients: readonly (string)[]; readonly tools: readonly ({ readonly name: string; readonly effects: readonly ("read" | "write" | "destructive" | "external" | "privileged")[]; readonly recipients: readonly (string)[]; readonly amounts: readonly (string)[]; readonly paths: readonly (string)[]; readonly definitions: number; readonly rollback?: string | undefined })[]; readonly servers: readonly ({ readonly server: string; readonly matched: readonly (string)[]; readonly differing: readonly (string)[]; readonly unknown: readonly (string)[]; readonly absent: readonly (string)[] })[] })[]; readonly next?: number | undefined }
  }
  /** Your passkeys */
  'GET /v1/passkeys': {
    answer: { readonly items: readonly ({ readonly passkey_id: string; readonly name: string; readonly created_at: number; readonly used_at?: number | undefined })[] }
  }
  /** Add a passkey; if you already have a passphrase or a passkey, you confirm with it */
  'POST /v1/passkeys': {
    body: { readonly name: string; readonly response: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly attestationObject: string; readonly transports?: readonly (string)[] | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined }; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined }
    answer: { readonly passkey_id: string; readonly name: string; readonly created_at: number; readonly used_at?: number | undefined }
  }
  /** The options for `navigator.credentials.get`, to confirm exactly this request, which gives permission */
  'POST /v1/passkeys/grant': {
    body: { readonly method?: "POST" | "DELETE" | undefined; readonly path: string; readonly body?: { readonly [name: string]: Json } | undefined }
    answer: { readonly challenge: string }
  }
  /** The options for `navigator.credentials.create`, to create a passkey */
  'POST /v1/passkeys/options': {
    answer: { readonly challenge: string }
  }
  /** The options for `navigator.credentials.get`, to confirm who adds another passkey */
  'POST /v1/passkeys/proof': {
    answer: { readonly challenge: string }
  }
  /** Remove the passkey of someone who has lost it; the body contains only your proof, if you have one */
  'DELETE /v1/passkeys/{passkey_id}': {
    path: { readonly passkey_id: string }
    answer: { readonly passkey_id: string; readonly name: string; readonly created_at: number; readonly used_at?: number | undefined }
  }
  /** Set your passphrase for strong approvals (with `current`, if you already have one) */
  'POST /v1/passphrase': {
    body: { readonly passphrase: string; readonly current?: string | undefined }
    answer: { readonly user: string }
  }
  /** Remove the passphrase of someone who has lost it; the body contains only your proof, if you have one */
  'DELETE /v1/passphrases/{user}': {
    path: { readonly user: string }
    answer: { readonly user: string }
  }
  /** What is paused */
  'GET /v1/pauses': {
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly v: 1; readonly scope: string; readonly effect: "ask" | "block"; readonly active: boolean; readonly by: string; readonly reason: string; readonly at: number })[]; readonly next?: number | undefined }
  }
  /** Start or end a pause */
  'POST /v1/pauses': {
    body: { readonly scope?: string | undefined; readonly effect?: "ask" | "block" | undefined; readonly active?: boolean | undefined; readonly reason?: string | undefined; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined }
    answer: { readonly v: 1; readonly scope: string; readonly effect: "ask" | "block"; readonly active: boolean; readonly by: string; readonly reason: string; readonly at: number }
  }
  /** The policy in force: its rules in words, and mistakes in a newer file that was not loaded */
  'GET /v1/policies': {
    answer: { readonly [name: string]: Json }
  }
  /** Compare a draft with the policy in force: rules, test cases and recorded calls that change */
  'POST /v1/policies/diff': {
    body: { readonly policy: { readonly file: string; readonly text: string }; readonly cases?: readonly ({ readonly file: string; readonly text: string })[] | undefined; readonly since?: number | undefined }
    answer: { readonly [name: string]: Json }
  }
  /** Unreachable rules, gaps and contradictions, each with a call that shows it */
  'POST /v1/policies/lint': {
    body: { readonly policy?: { readonly file: string; readonly text: string } | undefined }
    answer: { readonly [name: string]: Json }
  }
  /** The options for `navigator.credentials.get`, to put exactly this draft in force */
  'POST /v1/policies/passkey': {
    body: { readonly text: string; readonly version: string }
    answer: { readonly challenge: string }
  }
  /** Write a draft to the policy file and put it in force, if the policy is still the one it was compared with */
  'POST /v1/policies/put': {
    body: { readonly text: string; readonly version: string; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined }
    answer: { readonly version: string; readonly before: string; readonly changed: boolean }
  }
  /** Reload the policy from disk */
  'POST /v1/policies/reload': {
    answer: { readonly [name: string]: Json }
  }
  /** Judge the calls since `since` (ms) again under a draft; no call is executed */
  'POST /v1/policies/replay': {
    body: { readonly policy: { readonly file: string; readonly text: string }; readonly since?: number | undefined }
    answer: { readonly [name: string]: Json }
  }
  /** Run test cases against a draft, or against the policy in force */
  'POST /v1/policies/test': {
    body: { readonly policy?: { readonly file: string; readonly text: string } | undefined; readonly cases: readonly ({ readonly file: string; readonly text: string })[] }
    answer: { readonly [name: string]: Json }
  }
  /** The policy in force as it is written, to be edited */
  'GET /v1/policies/text': {
    answer: { readonly text: string; readonly version: string }
  }
  /** Proposals that you can see, newest first */
  'GET /v1/proposals': {
    query: { readonly limit?: number | undefined; readonly after?: number | undefined; readonly state?: string | undefined; readonly run_id?: string | undefined; readonly session?: string | undefined; readonly vault_id?: string | undefined }
    answer: { readonly items: readonly ({ readonly proposal_id: string; readonly vault_id: string; readonly scope: "personal" | "project" | "org"; readonly state: "proposed" | "approved" | "discarded"; readonly source: "flow_run"; readonly queue: "flow-review"; readonly intent: string; readonly body: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string }; readonly frontmatter: { readonly type: "flow_run_outcome"; readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly external_ref: string | null }; readonly step_id: string | null; readonly flow_title: string; readonly step_title: string | null; readonly evaluation: "none" | "pending" | "passed" | "failed" | "needs_changes"; readonly evaluation_required: boolean; readonly rubric: readonly ({ readonly id: string; readonly asks: string; readonly answer: boolean | null })[]; readonly note: string | null; readonly evaluated_by: string | null; readonly waived: string | null; readonly proposed_by: string; readonly created: string; readonly decided_by: string | null; readonly decided: string | null; readonly reason: string | null; readonly own: boolean; readonly etag: string })[]; readonly next?: number | undefined }
  }
  /** One proposal */
  'GET /v1/proposals/{proposal_id}': {
    path: { readonly proposal_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    answer: { readonly proposal_id: string; readonly vault_id: string; readonly scope: "personal" | "project" | "org"; readonly state: "proposed" | "approved" | "discarded"; readonly source: "flow_run"; readonly queue: "flow-review"; readonly intent: string; readonly body: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string }; readonly frontmatter: { readonly type: "flow_run_outcome"; readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly external_ref: string | null }; readonly step_id: string | null; readonly flow_title: string; readonly step_title: string | null; readonly evaluation: "none" | "pending" | "passed" | "failed" | "needs_changes"; readonly evaluation_required: boolean; readonly rubric: readonly ({ readonly id: string; readonly asks: string; readonly answer: boolean | null })[]; readonly note: string | null; readonly evaluated_by: string | null; readonly waived: string | null; readonly proposed_by: string; readonly created: string; readonly decided_by: string | null; readonly decided: string | null; readonly reason: string | null; readonly own: boolean; readonly etag: string }
  }
  /** Approve a proposal, or discard it */
  'POST /v1/proposals/{proposal_id}/decide': {
    path: { readonly proposal_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly decision: "approve" | "discard"; readonly reason?: string | undefined; readonly waive?: string | undefined; readonly etag?: string | undefined }
    answer: { readonly proposal_id: string; readonly vault_id: string; readonly scope: "personal" | "project" | "org"; readonly state: "proposed" | "approved" | "discarded"; readonly source: "flow_run"; readonly queue: "flow-review"; readonly intent: string; readonly body: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string }; readonly frontmatter: { readonly type: "flow_run_outcome"; readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly external_ref: string | null }; readonly step_id: string | null; readonly flow_title: string; readonly step_title: string | null; readonly evaluation: "none" | "pending" | "passed" | "failed" | "needs_changes"; readonly evaluation_required: boolean; readonly rubric: readonly ({ readonly id: string; readonly asks: string; readonly answer: boolean | null })[]; readonly note: string | null; readonly evaluated_by: string | null; readonly waived: string | null; readonly proposed_by: string; readonly created: string; readonly decided_by: string | null; readonly decided: string | null; readonly reason: string | null; readonly own: boolean; readonly etag: string }
  }
  /** Answer the rubric of a proposal */
  'POST /v1/proposals/{proposal_id}/evaluate': {
    path: { readonly proposal_id: string }
    query: { readonly session?: string | undefined; readonly vault_id?: string | undefined }
    body: { readonly answers?: { readonly [name: string]: boolean } | undefined; readonly needs_changes?: boolean | undefined; readonly note?: string | undefined; readonly etag?: string | undefined }
    answer: { readonly proposal_id: string; readonly vault_id: string; readonly scope: "personal" | "project" | "org"; readonly state: "proposed" | "approved" | "discarded"; readonly source: "flow_run"; readonly queue: "flow-review"; readonly intent: string; readonly body: { readonly run_id: string; readonly flow_id: string; readonly flow_version: string }; readonly frontmatter: { readonly type: "flow_run_outcome"; readonly run_id: string; readonly flow_id: string; readonly flow_version: string; readonly external_ref: string | null }; readonly step_id: string | null; readonly flow_title: string; readonly step_title: string | null; readonly evaluation: "none" | "pending" | "passed" | "failed" | "needs_changes"; readonly evaluation_required: boolean; readonly rubric: readonly ({ readonly id: string; readonly asks: string; readonly answer: boolean | null })[]; readonly note: string | null; readonly evaluated_by: string | null; readonly waived: string | null; readonly proposed_by: string; readonly created: string; readonly decided_by: string | null; readonly decided: string | null; readonly reason: string | null; readonly own: boolean; readonly etag: string }
  }
  /** Your browsers that are notified of new requests, and the key to subscribe with */
  'GET /v1/push': {
    answer: { readonly public_key: string; readonly items: readonly ({ readonly push_id: string; readonly name: string; readonly host: string; readonly created_at: number })[] }
  }
  /** Notify this browser of new requests; notifications contain no argument values */
  'POST /v1/push': {
    body: { readonly endpoint: string; readonly expirationTime?: number | null | undefined; readonly keys: { readonly p256dh: string; readonly auth: string }; readonly name: string }
    answer: { readonly push_id: string; readonly name: string; readonly host: string; readonly created_at: number }
  }
  /** Stop notifying one of your browsers */
  'DELETE /v1/push/{push_id}': {
    path: { readonly push_id: string }
    answer: { readonly push_id: string; readonly name: string; readonly host: string; readonly created_at: number }
  }
  /** Background runs (held calls, deliveries, toolflows, agent threads, workflows), newest first */
  'GET /v1/runs': {
    query: { readonly status?: string | undefined; readonly kind?: string | undefined; readonly owner?: string | undefined; readonly user?: string | undefined; readonly thread?: string | undefined; readonly parent?: string | undefined; readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly run_id: string; readonly kind: string; readonly status: "active" | "waiting" | "done" | "failed" | "cancelled" | "faulted"; readonly owner?: { readonly id: string; readonly user: string } | undefined; readonly thread?: string | undefined; readonly parent?: string | undefined; readonly document?: string | undefined; readonly waits_for?: string | undefined; readonly fault?: { readonly count: number; readonly at: number; readonly says?: string | undefined; readonly retry_at?: number | undefined } | undefined; readonly timers: { readonly [name: string]: number }; readonly executing: readonly (string)[]; readonly created_at: number; readonly ended_at?: number | undefined })[]; readonly next?: number | undefined }
  }
  /** One run and a page of its journal: types, keys and times, but no arguments or outputs */
  'GET /v1/runs/{run_id}': {
    path: { readonly run_id: string }
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly run_id: string; readonly kind: string; readonly status: "active" | "waiting" | "done" | "failed" | "cancelled" | "faulted"; readonly owner?: { readonly id: string; readonly user: string } | undefined; readonly thread?: string | undefined; readonly parent?: string | undefined; readonly document?: string | undefined; readonly waits_for?: string | undefined; readonly fault?: { readonly count: number; readonly at: number; readonly says?: string | undefined; readonly retry_at?: number | undefined } | undefined; readonly timers: { readonly [name: string]: number }; readonly executing: readonly (string)[]; readonly created_at: number; readonly ended_at?: number | undefined; readonly graph?: { readonly nodes: readonly ({ readonly id: string; readonly says: string })[]; readonly edges: readonly ({ readonly from: string; readonly to: string; readonly when: string })[] } | undefined; readonly events: readonly ({ readonly seq: number; readonly type: string; readonly key?: string | undefined; readonly name?: string | undefined; readonly call_id?: string | undefined; readonly approval_id?: string | undefined; readonly run_id?: string | undefined; readonly by?: string | undefined; readonly at?: number | undefined })[]; readonly next?: number | undefined }
  }
  /** Ask a run to stop; a call that is waiting for approval is withdrawn, one that is executing is allowed to finish */
  'POST /v1/runs/{run_id}/cancel': {
    path: { readonly run_id: string }
    body: { readonly reason?: string | undefined }
    answer: { readonly run_id: string; readonly kind: string; readonly status: "active" | "waiting" | "done" | "failed" | "cancelled" | "faulted"; readonly owner?: { readonly id: string; readonly user: string } | undefined; readonly thread?: string | undefined; readonly parent?: string | undefined; readonly document?: string | undefined; readonly waits_for?: string | undefined; readonly fault?: { readonly count: number; readonly at: number; readonly says?: string | undefined; readonly retry_at?: number | undefined } | undefined; readonly timers: { readonly [name: string]: number }; readonly executing: readonly (string)[]; readonly created_at: number; readonly ended_at?: number | undefined }
  }
  /** Resume a faulted run, after its cause was fixed */
  'POST /v1/runs/{run_id}/resume': {
    path: { readonly run_id: string }
    answer: { readonly run_id: string; readonly kind: string; readonly status: "active" | "waiting" | "done" | "failed" | "cancelled" | "faulted"; readonly owner?: { readonly id: string; readonly user: string } | undefined; readonly thread?: string | undefined; readonly parent?: string | undefined; readonly document?: string | undefined; readonly waits_for?: string | undefined; readonly fault?: { readonly count: number; readonly at: number; readonly says?: string | undefined; readonly retry_at?: number | undefined } | undefined; readonly timers: { readonly [name: string]: number }; readonly executing: readonly (string)[]; readonly created_at: number; readonly ended_at?: number | undefined }
  }
  /** Tool servers and their health */
  'GET /v1/servers': {
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly server: string; readonly state: string; readonly tools: number; readonly since: number; readonly failures: number; readonly last_failure?: string | undefined; readonly breaker: string; readonly login?: { readonly per: "gate" | "user"; readonly state: "logged_in" | "needed" | "none" } | undefined; readonly stderr: readonly (string)[]; readonly findings: readonly ({ readonly rule: "title_cut" | "description_cut" | "annotations_left_out" | "name_too_long" | "schema_too_large" | "not_a_tool" | "not_canonical" | "name_taken" | "too_many_tools" | "too_much_text" | "pages_without_end" | "not_callable"; readonly tools: number; readonly example: string; readonly says: string })[] })[]; readonly next?: number | undefined }
  }
  /** Log out of a tool server: the tokens are revoked and deleted */
  'DELETE /v1/servers/{server}/login': {
    path: { readonly server: string }
    query: { readonly shared?: string | undefined }
    answer: { readonly revoked: boolean }
  }
  /** Your login to a tool server, or the gate's own (`shared=1`) */
  'GET /v1/servers/{server}/login': {
    path: { readonly server: string }
    query: { readonly shared?: string | undefined }
    answer: { readonly server: string; readonly user?: string | undefined; readonly state: "logged_in" | "needed" | "none"; readonly issuer?: string | undefined; readonly scope?: string | undefined; readonly logged_in_at?: number | undefined; readonly expires_at?: number | undefined; readonly renews?: boolean | undefined; readonly why?: string | undefined; readonly waiting_until?: number | undefined }
  }
  /** Start a login to a tool server; open `url` in a browser */
  'POST /v1/servers/{server}/login': {
    path: { readonly server: string }
    body: { readonly shared?: boolean | undefined }
    answer: { readonly url: string; readonly authorization_url: string; readonly issuer: string; readonly began_at: number; readonly expires_at: number }
  }
  /** Complete a login with the address that the browser was redirected to, if it could not reach the gate */
  'POST /v1/servers/{server}/login/finish': {
    path: { readonly server: string }
    body: { readonly shared?: boolean | undefined; readonly url: string }
    answer: { readonly server: string; readonly user?: string | undefined }
  }
  /** Try at once to reach a tool server that is down; answers with its state after the attempt */
  'POST /v1/servers/{server}/retry': {
    path: { readonly server: string }
    answer: { readonly server: string; readonly state: string; readonly tools: number; readonly since: number; readonly failures: number; readonly last_failure?: string | undefined; readonly breaker: string; readonly login?: { readonly per: "gate" | "user"; readonly state: "logged_in" | "needed" | "none" } | undefined; readonly stderr: readonly (string)[]; readonly findings: readonly ({ readonly rule: "title_cut" | "description_cut" | "annotations_left_out" | "name_too_long" | "schema_too_large" | "not_a_tool" | "not_canonical" | "name_taken" | "too_many_tools" | "too_much_text" | "pages_without_end" | "not_callable"; readonly tools: number; readonly example: string; readonly says: string })[] }
  }
  /** The configuration file of this gate, and a digest of each section that takes effect only after a restart */
  'GET /v1/settings': {
    answer: { readonly [name: string]: Json }
  }
  /** Search, choose, judge and run one tool, as a durable flow (wait_ms until it first pauses or ends, default 30000) */
  'POST /v1/toolflow': {
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    body: { readonly user_prompt: string; readonly query?: string | undefined; readonly top_k?: number | undefined; readonly args?: Json | undefined; readonly risk_score?: number | undefined; readonly skill_id?: string | undefined; readonly thread?: string | undefined }
    answer: { readonly run_id: string; readonly status: string; readonly state: { readonly node: string } }
  }
  /** The flow started with an idempotency key, if its answer was lost; starts nothing */
  'GET /v1/toolflow/by-key/{idempotency_key}': {
    path: { readonly idempotency_key: string }
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    answer: { readonly run_id: string; readonly status: string; readonly state: { readonly node: string } }
  }
  /** A flow and its card, with an optional bounded wait (wait_ms) */
  'GET /v1/toolflow/{run_id}': {
    path: { readonly run_id: string }
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    answer: { readonly run_id: string; readonly status: string; readonly state: { readonly node: string } }
  }
  /** Answer the approval packet of a flow: Approve & Execute, Edit Inputs, Cancel */
  'POST /v1/toolflow/{run_id}/resume': {
    path: { readonly run_id: string }
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    body: { readonly approval_id: string; readonly choice: "Approve & Execute" | "Edit Inputs" | "Cancel"; readonly args?: Json | undefined; readonly reason?: string | undefined; readonly typed?: string | undefined; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined; readonly digest?: string | undefined; readonly unfolded?: readonly (string)[] | undefined }
    answer: { readonly run_id: string; readonly status: string; readonly state: { readonly node: string } }
  }
  /** The tools */
  'GET /v1/tools': {
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly tool_id: string; readonly server: string; readonly title?: string | undefined; readonly description?: string | undefined; readonly input_schema: { readonly [name: string]: Json }; readonly effects: readonly ("read" | "write" | "destructive" | "external" | "privileged")[]; readonly effects_from: "configured" | "pack" | "annotated" | "inferred" | "unknown"; readonly pack?: string | undefined; readonly risk: "low" | "medium" | "high" | "critical"; readonly idempotent: boolean; readonly dry_run: boolean; readonly definition_hash: string; readonly admitted: boolean; readonly admitted_hash?: string | undefined })[]; readonly next?: number | undefined }
  }
  /** Search the tools, best match first (`q`, `top_k`, by default 5) */
  'GET /v1/tools/search': {
    query: { readonly q?: string | undefined; readonly top_k?: number | undefined }
    answer: { readonly items: readonly ({ readonly skill_id: string; readonly title: string; readonly score_hint: number; readonly tags: readonly (string)[]; readonly reason: string })[]; readonly notices?: readonly ({ readonly code: string; readonly says: string })[] | undefined }
  }
  /** The card of one tool: how to call it (`full=1` for the full schema) */
  'GET /v1/tools/{tool_id}': {
    path: { readonly tool_id: string }
    query: { readonly full?: string | undefined }
    answer: { readonly [name: string]: Json }
  }
  /** Admit exactly the definition with this hash */
  'POST /v1/tools/{tool_id}/admit': {
    path: { readonly tool_id: string }
    body: { readonly definition_hash: string; readonly passphrase?: string | undefined; readonly passkey?: { readonly id: string; readonly rawId: string; readonly type: "public-key"; readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | null | undefined }; readonly clientExtensionResults?: { readonly [name: string]: Json } | undefined } | undefined }
    answer: { readonly tool_id: string }
  }
  /** The admitted and the current definition of one tool, side by side; the hash to admit is `after.hash` */
  'GET /v1/tools/{tool_id}/definition': {
    path: { readonly tool_id: string }
    answer: { readonly tool_id: string; readonly server: string; readonly status: "admitted" | "changed" | "new" | "gone"; readonly before?: { readonly hash: string; readonly definition: { readonly name: string; readonly title?: string | undefined; readonly description?: string | undefined; readonly inputSchema: { readonly [name: string]: Json }; readonly outputSchema?: { readonly [name: string]: Json } | undefined; readonly annotations?: { readonly [name: string]: Json } | undefined }; readonly at: number; readonly by: string } | undefined; readonly after: { readonly hash: string; readonly definition: { readonly name: string; readonly title?: string | undefined; readonly description?: string | undefined; readonly inputSchema: { readonly [name: string]: Json }; readonly outputSchema?: { readonly [name: string]: Json } | undefined; readonly annotations?: { readonly [name: string]: Json } | undefined } }; readonly changes: readonly ({ readonly path: string; readonly before?: string | undefined; readonly after?: string | undefined })[] }
  }
  /** A message for documents, signed with the secret of its transport */
  'POST /v1/transports/{name}/messages': {
    path: { readonly name: string }
    answer: { readonly taken: readonly ({ readonly is: "started" | "refused" | "turn" | "ignored"; readonly document: string | null; readonly run_id?: string | undefined; readonly code?: string | undefined; readonly says?: string | undefined })[] }
  }
  /** One run of a document: its steps, its graph and why it stopped (wait_ms until it next waits or ends) */
  'GET /v1/workflow-runs/{run_id}': {
    path: { readonly run_id: string }
    query: { readonly wait_ms?: number | undefined; readonly session?: string | undefined }
    answer: { readonly run_id: string; readonly document: string; readonly version: number; readonly protocol: string; readonly status: "active" | "waiting" | "done" | "failed" | "cancelled" | "faulted"; readonly trace: string; readonly created_at: number; readonly ended_at?: number | undefined; readonly waits_for?: string | undefined; readonly error?: { readonly code: "trust_mismatch" | "invalid_protocol_message" | "schema_validation" | "retries_exhausted" | "template_unresolved" | "policy_denied" | "approval_denied" | "approval_timeout" | "tool_failed" | "limit_exceeded"; readonly says: string; readonly step: string | null } | undefined; readonly steps: readonly ({ readonly number: string; readonly id?: string | undefined; readonly type: string; readonly status: "pending" | "running" | "waiting" | "done" | "skipped" | "failed"; readonly items?: { readonly done: number; readonly of: number } | undefined })[]; readonly usage: { readonly model_calls: number; readonly input_tokens: number; readonly output_tokens: number; readonly cost: number }; readonly graph: { readonly nodes: readonly ({ readonly id: string; readonly says: string })[]; readonly edges: readonly ({ readonly from: string; readonly to: string; readonly when: string })[] }; readonly output?: Json | undefined }
  }
  /** Documents, each with its version in force */
  'GET /v1/workflows': {
    answer: { readonly items: readonly ({ readonly name: string; readonly version: number; readonly sha256: string; readonly author: string; readonly at: number; readonly rolled_back_to?: number | undefined; readonly description?: string | undefined; readonly protocols: readonly ({ readonly id: string; readonly trigger: string; readonly steps: number })[] })[]; readonly next?: number | undefined }
  }
  /** Put a new version of a document in force; a document with mistakes changes nothing */
  'POST /v1/workflows': {
    body: { readonly document: string }
    answer: { readonly name: string; readonly version: number; readonly sha256: string; readonly author: string; readonly at: number; readonly rolled_back_to?: number | undefined; readonly changed: boolean }
  }
  /** Dry run of a document: the arguments and the verdict of each step */
  'POST /v1/workflows/dry-run': {
    body: { readonly document: string; readonly protocol?: string | undefined; readonly input?: Json | undefined }
    answer: { readonly document: string; readonly protocol: string; readonly steps: readonly ({ readonly step: string; readonly does: string; readonly args?: Json | undefined; readonly verdict?: { readonly effect: string; readonly why: readonly (string)[] } | undefined; readonly assumed?: Json | undefined })[]; readonly stopped?: { readonly code: string; readonly says: string; readonly step: string | null } | undefined }
  }
  /** One version of a document with its text */
  'GET /v1/workflows/{name}': {
    path: { readonly name: string }
    query: { readonly version?: string | undefined }
    answer: { readonly name: string; readonly version: number; readonly sha256: string; readonly author: string; readonly at: number; readonly rolled_back_to?: number | undefined; readonly text: string }
  }
  /** The changes of a version, compared with the previous one or another */
  'GET /v1/workflows/{name}/diff': {
    path: { readonly name: string }
    query: { readonly from?: number | undefined; readonly version?: string | undefined }
    answer: { readonly name: string; readonly from: number; readonly to: number; readonly added: number; readonly removed: number; readonly cut: boolean; readonly lines: readonly ({ readonly is: "same" | "added" | "removed" | "skipped"; readonly text: string })[] }
  }
  /** Put the text of an earlier version in force, as a new version */
  'POST /v1/workflows/{name}/rollback': {
    path: { readonly name: string }
    body: { readonly to?: number | undefined }
    answer: { readonly name: string; readonly version: number; readonly sha256: string; readonly author: string; readonly at: number; readonly rolled_back_to?: number | undefined; readonly changed: boolean }
  }
  /** Runs of a document, newest first */
  'GET /v1/workflows/{name}/runs': {
    path: { readonly name: string }
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly run_id: string; readonly document: string; readonly version: number; readonly protocol: string; readonly status: "active" | "waiting" | "done" | "failed" | "cancelled" | "faulted"; readonly trace: string; readonly created_at: number; readonly ended_at?: number | undefined; readonly waits_for?: string | undefined; readonly error?: { readonly code: "trust_mismatch" | "invalid_protocol_message" | "schema_validation" | "retries_exhausted" | "template_unresolved" | "policy_denied" | "approval_denied" | "approval_timeout" | "tool_failed" | "limit_exceeded"; readonly says: string; readonly step: string | null } | undefined; readonly steps: readonly ({ readonly number: string; readonly id?: string | undefined; readonly type: string; readonly status: "pending" | "running" | "waiting" | "done" | "skipped" | "failed"; readonly items?: { readonly done: number; readonly of: number } | undefined })[]; readonly usage: { readonly model_calls: number; readonly input_tokens: number; readonly output_tokens: number; readonly cost: number }; readonly graph: { readonly nodes: readonly ({ readonly id: string; readonly says: string })[]; readonly edges: readonly ({ readonly from: string; readonly to: string; readonly when: string })[] }; readonly output?: Json | undefined })[]; readonly next?: number | undefined }
  }
  /** Start a protocol by hand */
  'POST /v1/workflows/{name}/runs': {
    path: { readonly name: string }
    body: { readonly protocol?: string | undefined; readonly input?: Json | undefined }
    answer: { readonly run_id: string }
  }
  /** Versions of a document, newest first */
  'GET /v1/workflows/{name}/versions': {
    path: { readonly name: string }
    query: { readonly limit?: number | undefined; readonly after?: number | undefined }
    answer: { readonly items: readonly ({ readonly name: string; readonly version: number; readonly sha256: string; readonly author: string; readonly at: number; readonly rolled_back_to?: number | undefined })[]; readonly next?: number | undefined }
  }
}
