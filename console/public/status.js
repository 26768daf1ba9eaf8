const line = document.getElementById('status')
try {
  const ready = await fetch('/readyz')
  line.textContent = ready.ok ? 'The gate is up and takes calls.' : 'The gate is up but takes no calls right now.'
} catch {
  line.textContent = 'The gate does not answer.'
}
