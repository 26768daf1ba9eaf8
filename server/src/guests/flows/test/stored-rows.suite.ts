import type { Rows } from '../../../kernel/ports/ledger.ts'
import { fates, type StoredRows } from '../../../../test/stored-rows.ts'

const FLOW = { v: 1, vault_id: 'default', scope: 'personal', flow_id: 'f', flow_version: '1.0.0', title: 't' } as const
const RUN_ID = 'run_f00000000000000f'
const CONSENT_ID = `fcns_${'0'.repeat(16)}` as Rows['flow_consents']['consent_id']

const flows: StoredRows<'flows'> = {
  table: 'flows',
  fates: fates(
    [
      'shelf shelf_status shelf_flow shelf_flow_status v is vault_id flow steps run_id flow_id flow_version',
      'scope status step_states started provenance task_ref external_ref title consents executions',
      'proposal_id state source queue body frontmatter step_id flow_title step_title evaluation',
      'evaluation_required rubric evaluated_by proposed_by created decided_by decided proposer',
    ],
    'history intent note waived reason',
  ),
  planted({ approver, text }) {
    const history = [{ at: '', by: approver, did: 'abandoned', step_id: null, note: text }]
    const texts = { intent: text, note: text, waived: text, reason: text }
    const by = { evaluated_by: approver, decided_by: approver, proposer: 'ana' }
    return [
      { id: RUN_ID, row: { ...FLOW, is: 'run', run_id: RUN_ID, status: 'done', executions: [], history } },
      { id: 'prop_1', row: { ...FLOW, is: 'proposal', proposal_id: 'prop_1', state: 'approved', ...by, ...texts } },
    ]
  },
  afterRestore: 'ended',
  open: {
    add() {
      const execution = {
        execution_id: 'x',
        step_id: 's',
        consent_id: CONSENT_ID,
        status: 'running',
        cost_units: 1,
        reserved_units: 1,
      }
      const run = { ...FLOW, is: 'run', run_id: RUN_ID, status: 'in_progress', step_states: [], history: [] }
      const to = { ...run, consents: 1, executions: [execution] } as unknown as Rows['flows']
      return { kind: 'swap', table: 'flows', id: RUN_ID, from: 'absent', to }
    },
    isOpen: (row) => row.is === 'run' && row.executions[0]?.status === 'running',
  },
}

const flowConsents: StoredRows<'flow_consents'> = {
  table: 'flow_consents',
  fates: fates([
    'v consent_id vault_id scope run_id flow_id flow_version allowed_lanes cost_cap_units actor_hash',
    'minted_by minted_key lifts_asks minted_at expires_at revoked_at revoked_by of_run',
  ]),
  afterRestore: 'ended',
  open: {
    add() {
      const { title: _, ...place } = FLOW
      const terms = { allowed_lanes: [], cost_cap_units: 5, actor_hash: '', lifts_asks: true, of_run: RUN_ID }
      const minted = { minted_by: 'approver:ben', minted_at: 1, expires_at: Date.now() + 86_400_000 }
      const to: Rows['flow_consents'] = { ...place, consent_id: CONSENT_ID, run_id: RUN_ID, ...terms, ...minted }
      return { kind: 'swap', table: 'flow_consents', id: CONSENT_ID, from: 'absent', to }
    },
    isOpen: ({ revoked_at }) => revoked_at === undefined,
    isConsent: true,
  },
}

export const STORED_ROWS = [flows, flowConsents]
