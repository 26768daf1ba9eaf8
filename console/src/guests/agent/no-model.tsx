import type { Features } from '../../api/features.ts'
import { Button } from '../../parts/button.tsx'
import { Text } from '../../parts/text.tsx'

const SETTING = `models:
  agent:
    provider: anthropic
    model: claude-sonnet-4-5
    key: env:ANTHROPIC_API_KEY`

type NoModelProps = { readonly phrases: Features['agent']['phrases']; readonly onPhrase: (phrase: string) => void }

/** Shown instead of the usual introduction while only a script answers. */
export function NoModel({ phrases, onPhrase }: NoModelProps) {
  return (
    <>
      <h2>No model is configured</h2>
      <p className="dim">
        The agent needs a language model to plan and to answer. Until then, a script answers that understands only a few
        phrases. Tools and approvals work without a model.
      </p>
      <ol className="card setup">
        <li>
          <b>Add a model to sluice.yaml</b>
          <pre tabIndex={0} aria-label="The setting">
            {SETTING}
          </pre>
          <p className="small dim">
            Other providers: <code>google</code>, and <code>openai-compatible</code> with a <code>url</code>, such as
            OpenAI or Ollama.
          </p>
        </li>
        <li>
          <b>Restart Sluice</b>
          <pre tabIndex={0} aria-label="The command">
            sluice up
          </pre>
        </li>
      </ol>
      {phrases.length === 0 ? null : (
        <>
          <p className="small dim">To look around, try what the script of the demo understands:</p>
          <div className="acts">
            {phrases.map((phrase) => (
              <Button key={phrase} size="small" onClick={() => onPhrase(phrase)}>
                <Text>{phrase}</Text>
              </Button>
            ))}
          </div>
        </>
      )}
    </>
  )
}
