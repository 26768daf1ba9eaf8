import { fromPeers } from '../gate/peers.ts'
import { doStep, STEPS } from './system.ts'

// The service that Restate calls: `restate-service.ts <port>`. Ten steps, each in the journal before the next one begins.
type Context = { run(name: string, action: () => number): Promise<number> }
type Sdk = {
  service(definition: { name: string; handlers: Record<string, (context: Context) => Promise<number>> }): object
  serve(options: { services: object[]; port: number }): Promise<number>
}

const { service, serve } = fromPeers('@restatedev/restate-sdk') as Sdk
const runs = service({
  name: 'runs',
  handlers: {
    async ten(context) {
      let done = 0
      for (let at = 0; at < STEPS; at += 1) {
        const before = done
        done = await context.run(`step${at + 1}`, () => doStep(before))
      }
      return done
    },
  },
})
await serve({ services: [runs], port: Number(process.argv[2]) })
console.log('ready')
