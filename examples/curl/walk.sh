#!/bin/sh
# The whole corridor with curl. Needs a running gate: SLUICE_URL, and two keys, SLUICE_AGENT_KEY and SLUICE_APPROVER_KEY
# (`sluice keys create agent writer`, `sluice keys create approver ana`).
set -eu
agent="authorization: Bearer $SLUICE_AGENT_KEY"
approver="authorization: Bearer $SLUICE_APPROVER_KEY"
json='content-type: application/json'
field() { sed -E "s/.*\"$1\":\"([^\"]*)\".*/\1/"; }

echo '# a read runs'
curl -fsS "$SLUICE_URL/v1/calls" -H "$agent" -H "$json" -d '{"tool":"outbox__list_messages"}'

echo; echo '# a message is held; the same Idempotency-Key is the same call, however often it is sent'
call='{"tool":"outbox__send_message","args":{"to":"bob@example.com","subject":"lunch","body":"at noon?"}}'
held=$(curl -fsS "$SLUICE_URL/v1/calls" -H "$agent" -H "$json" -H 'idempotency-key: lunch-1' -d "$call")
echo "$held"
approval=$(echo "$held" | field approval_id)
call_id=$(echo "$held" | field call_id)

echo '# the agent cannot approve it: 403'
curl -sS -o /dev/null -w '%{http_code}\n' "$SLUICE_URL/v1/approvals/$approval/decide" -H "$agent" -H "$json" -d '{"decision":"approve"}'

echo '# the approver reads the packet, and approves what it shows: `digest` names this version of it, `typed` its recipient'
packet=$(curl -fsS "$SLUICE_URL/v1/approvals/$approval" -H "$approver")
echo "$packet"
curl -fsS "$SLUICE_URL/v1/approvals/$approval/decide" -H "$approver" -H "$json" -d "{\"decision\":\"approve\",\"typed\":\"bob@example.com\",\"digest\":\"$(echo "$packet" | field digest)\"}"

echo; echo '# the agent reads the outcome, and waits for it if necessary'
curl -fsS "$SLUICE_URL/v1/calls/$call_id?wait_ms=10000" -H "$agent"
echo
