import { Empty } from '../../parts/states.tsx'

export function GreetingsPage() {
  return <Empty title="No greetings">Nobody was greeted yet.</Empty>
}
