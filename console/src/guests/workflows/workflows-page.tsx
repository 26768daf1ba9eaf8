import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { many } from '../../lib/time.ts'
import { Ago } from '../../parts/ago.tsx'
import { Card } from '../../parts/card.tsx'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { documentsQuery, type ListedDocument } from './workflow-queries.ts'

/** Specialised agents as documents: every one with the version that is in force. */
export function WorkflowsPage() {
  const query = useQuery(documentsQuery)
  const documents = query.data
  return (
    <>
      <div className="top">
        <h1>Workflows</h1>
      </div>
      <div className="scroll">
        <div className="body flow-body">
          <Card
            title="Documents"
            aside={documents === undefined ? '' : many(documents.length, 'document')}
            className="flow-card"
          >
            {query.isError && documents === undefined ? (
              <Failed error={query.error} onRetry={() => void query.refetch()} />
            ) : documents === undefined ? (
              <Skeleton rows={3} />
            ) : documents.length === 0 ? (
              <Empty title="No documents yet">
                <p className="small">
                  Check one with <code>sluice workflow validate FILE</code> and put it in force with{' '}
                  <code>sluice workflow apply FILE</code>.
                </p>
              </Empty>
            ) : (
              <ul className="flow-list">
                {documents.map((document) => (
                  <DocumentRow key={document.name} document={document} />
                ))}
              </ul>
            )}
          </Card>
        </div>
      </div>
    </>
  )
}

function DocumentRow({ document }: { readonly document: ListedDocument }) {
  return (
    <li>
      <div>
        <h3>
          <Link to="/workflows/$name" params={{ name: document.name }}>
            <Text>{document.name}</Text>
          </Link>
        </h3>
        {document.description === undefined ? null : (
          <p className="small dim">
            <Text>{document.description}</Text>
          </p>
        )}
        <p className="tiny faint">
          version {document.version} · by <Text>{document.author}</Text> · <Ago at={document.at} /> ·{' '}
          {many(document.protocols.length, 'protocol')}
        </p>
        <ul className="tiny faint protocols">
          {document.protocols.map((protocol) => (
            <li key={protocol.id}>
              <code>
                <Text>{protocol.id}</Text>
              </code>
              : <Text>{protocol.trigger}</Text>, {many(protocol.steps, 'step')}
            </li>
          ))}
        </ul>
      </div>
    </li>
  )
}
