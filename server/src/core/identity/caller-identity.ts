export { callerIdentity, isSameCaller, sessionIdentity, type CallerNames } from '../../contract/caller-identity.ts'
