export function ToolsPage() {
  return (
    <div className="top">
      <h1>Tools</h1>
    </div>
  )
}
