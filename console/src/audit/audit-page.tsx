export function AuditPage() {
  return (
    <div className="top">
      <h1>Audit</h1>
    </div>
  )
}
