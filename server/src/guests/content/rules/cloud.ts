import type { RuleInput } from '../rule.ts'
import { END, named, token, UUID } from './shapes.ts'

const CLOUD = { type: 'CLOUD_KEY' }

/** Clouds, hosting, infrastructure and the tools that hold its secrets. */
export const CLOUD_RULES: readonly RuleInput[] = [
  token('aws-access-key-id', 'akia asia abia acca a3t', `(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${END}`, {
    ...CLOUD,
    check: 'no-sample',
  }),
  named('aws-secret-access-key', 'aws amazon s3', '[A-Za-z0-9/+]{40}', { ...CLOUD, entropy: 3.5 }),
  named('aws-session-token', 'aws amazon session', '[A-Za-z0-9/+]{100,990}={0,2}', { ...CLOUD, entropy: 4 }),
  token('aws-bedrock-key', 'absk', 'ABSK[A-Za-z0-9+/]{109,269}={0,2}(?![A-Za-z0-9+/=])', CLOUD),
  token(
    'aws-bedrock-session-key',
    'bedrock-api-key-',
    `bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[\\w+/=-]{0,2000}`,
    CLOUD,
  ),
  token('aws-mws-key', 'amzn.mws.', `amzn\\.mws\\.${UUID}${END}`, CLOUD),

  token('azure-client-secret', 'q~', '(?<![\\w~.-])[\\w~.]{3}\\dQ~[\\w~.-]{31,34}(?![\\w~.-])', {
    ...CLOUD,
    back: 4,
    glued: true,
    entropy: 3,
  }),
  named('azure-storage-key', 'account shared storage', '[A-Za-z0-9+/]{43,88}={1,2}', { ...CLOUD, entropy: 3.5 }),
  token('azure-signature', 'sig=', '[?&;]sig=([A-Za-z0-9%+/]{43,70}(?:%3[dD]|=))', {
    ...CLOUD,
    back: 1,
    glued: true,
    group: 1,
  }),
  named('azure-devops-token', 'azure ado azdo devops vsts', '[a-z2-7]{52}|[A-Za-z0-9]{84}', { ...CLOUD, entropy: 3.5 }),
  named('azure-key', 'azure', '[A-Za-z0-9+/_-]{32,88}={0,2}', { ...CLOUD, entropy: 3.5, check: 'random' }),

  token('gcp-api-key', 'aizasy', `AIzaSy[\\w-]{33}${END}`, { ...CLOUD, entropy: 3.5, check: 'random' }),
  token('gcp-access-token', 'ya29.', 'ya29\\.[\\w.-]{30,1000}', { ...CLOUD, entropy: 3.5 }),
  token('gcp-client-secret', 'gocspx-', `GOCSPX-[\\w-]{28}${END}`, { ...CLOUD, entropy: 3 }),
  token('gcp-refresh-token', '1//0', '1//0[\\w-]{40,120}', { ...CLOUD, entropy: 3.5 }),
  token('firebase-messaging-key', ':apa91b', '(?<=(?<pre>(?<![\\w-])AAAA[\\w-]{7})):APA91b[\\w-]{130,160}', {
    ...CLOUD,
    glued: true,
  }),

  token('alibaba-access-key-id', 'ltai', `LTAI[A-Za-z0-9]{12,26}${END}`, { ...CLOUD, entropy: 3 }),
  named('alibaba-secret-key', 'alibaba aliyun', '[A-Za-z0-9]{30}', { ...CLOUD, entropy: 3 }),
  token('tencent-secret-id', 'akid', `AKID[A-Za-z0-9]{32}${END}`, { ...CLOUD, entropy: 3 }),
  token('digitalocean-token', 'doo_v1_ dop_v1_ dor_v1_', `do[opr]_v1_[a-f0-9]{64}${END}`, { ...CLOUD, entropy: 3 }),
  token('yandex-token', 'aqvn t1.', `AQVN[\\w-]{35,38}${END}|t1\\.[\\w-]{30,300}={0,2}\\.[\\w-]{86}={0,2}`, {
    ...CLOUD,
    entropy: 3,
  }),
  named('yandex-aws-key', 'yandex', 'YC[\\w-]{38}', CLOUD),
  named('ibm-cloud-key', 'ibm iam cloud', '[\\w-]{44}', { ...CLOUD, entropy: 3 }),
  named('ibm-cos-key', 'ibm cos ibmcos', '[a-f0-9]{48}', { ...CLOUD, entropy: 3 }),
  named('softlayer-key', 'softlayer sl slapi slapikey', '[a-z0-9]{64}', CLOUD),
  token(
    'softlayer-url',
    'api.softlayer.com',
    'api\\.softlayer\\.com/(?:soap|xmlrpc|rest)/v3(?:\\.1)?/([a-z0-9]{64})(?!\\w)',
    {
      ...CLOUD,
      group: 1,
    },
  ),
  named('cloudant-key', 'cloudant cl', '[a-f0-9]{64}|[a-z]{24}', { ...CLOUD, entropy: 2.5 }),
  named('cloudflare-key', 'cloudflare cf', '[A-Za-z0-9_-]{40}|[a-f0-9]{37}', { ...CLOUD, entropy: 3 }),
  token('cloudflare-origin-key', 'v1.0-', `v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}${END}`, CLOUD),
  named('scaleway-key', 'scaleway scw', UUID, CLOUD),
  named('linode-token', 'linode', '[a-f0-9]{64}', CLOUD),
  named('hetzner-token', 'hetzner hcloud', '[A-Za-z0-9]{64}', CLOUD),
  named('vultr-key', 'vultr', '[A-Z0-9]{36}', CLOUD),
  named('heroku-key', 'heroku', UUID, CLOUD),
  token('heroku-token', 'hrku-', `HRKU-[\\w-]{36,70}${END}`, { ...CLOUD, entropy: 3 }),
  token('fly-token', 'fo1_', `fo1_[\\w-]{43}${END}`, { ...CLOUD, entropy: 3.5 }),
  token('fly-macaroon', 'fm1r_ fm1a_ fm2_', 'fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,1500}={0,3}', { ...CLOUD, entropy: 4 }),
  token('databricks-token', 'dapi', `dapi[a-f0-9]{32}(?:-\\d)?${END}`, { ...CLOUD, entropy: 3 }),
  token('planetscale-token', 'pscale_', `pscale_(?:tkn|pw|oauth)_[\\w=.-]{32,64}${END}`, { ...CLOUD, entropy: 3 }),
  token('supabase-token', 'sbp_ sb_secret_', `sbp_[a-f0-9]{40}${END}|sb_secret_[\\w-]{20,60}${END}`, {
    ...CLOUD,
    entropy: 3,
  }),
  token('netlify-token', 'nfp_', `nfp_[A-Za-z0-9]{36}${END}`, { ...CLOUD, entropy: 3 }),
  named('netlify-key', 'netlify', '[A-Za-z0-9=_-]{40,46}', CLOUD),
  token('render-token', 'rnd_', `rnd_[A-Za-z0-9]{28,40}${END}`, { ...CLOUD, entropy: 3.5, check: 'mixed-characters' }),
  named('vercel-token', 'vercel', '[A-Za-z0-9]{24}', CLOUD),
  named('railway-token', 'railway', UUID, CLOUD),
  token('scalingo-token', 'tk-us-', `tk-us-[\\w-]{48}${END}`, { ...CLOUD, entropy: 2.5 }),
  token('clickhouse-key', '4b1d', `4b1d[A-Za-z0-9]{38}${END}`, { ...CLOUD, entropy: 3 }),
  named('confluent-key', 'confluent', '[A-Za-z0-9]{16}|[A-Za-z0-9+/]{64}', CLOUD),
  named('fastly-token', 'fastly', '[A-Za-z0-9=_-]{32}', CLOUD),
  token('tailscale-key', 'tskey-', `tskey-[a-z]{2,12}-[A-Za-z0-9]{8,40}-[A-Za-z0-9]{20,60}${END}`, {
    ...CLOUD,
    entropy: 3,
  }),
  named('ngrok-token', 'ngrok', '[A-Za-z0-9]{20,30}_[A-Za-z0-9]{18,30}', CLOUD),
  token('defined-networking-token', 'dnkey-', `dnkey-[\\w=-]{26}-[\\w=-]{52}${END}`, { ...CLOUD, entropy: 3 }),

  token('pulumi-token', 'pul-', `pul-[a-f0-9]{40}${END}`, { ...CLOUD, entropy: 2.5 }),
  token('terraform-token', '.atlasv1.', `[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,70}${END}`, {
    ...CLOUD,
    back: 14,
    entropy: 3.5,
  }),
  token('vault-token', 'hvs. hvb.', 'hv[sb]\\.[\\w-]{24,300}', { ...CLOUD, entropy: 3.5 }),
  token('vault-old-token', 's.', `(?<![.)\\]])s\\.[A-Za-z0-9]{24}(?![\\w.(-])`, {
    ...CLOUD,
    entropy: 3.5,
    check: 'mixed-characters',
  }),
  token('doppler-token', 'dp.', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}(?!\\w)', {
    ...CLOUD,
    entropy: 2.5,
  }),
  token('infracost-token', 'ico-', `(?<!\\.)ico-[A-Za-z0-9]{32}(?![\\w.-])`, { ...CLOUD, entropy: 3 }),
  token('octopus-key', 'api-', `API-[A-Z0-9]{26}${END}`, { ...CLOUD, entropy: 3 }),
  token('prefect-token', 'pnu_', `pnu_[A-Za-z0-9]{36}${END}`, { ...CLOUD, entropy: 2.5 }),
  token('openshift-token', 'sha256~', `sha256~[\\w-]{43}${END}`, { ...CLOUD, entropy: 3.5 }),
  token('harness-token', 'pat. sat.', `[ps]at\\.[\\w-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{20}${END}`, {
    ...CLOUD,
    entropy: 3,
  }),
  token('settlemint-token', 'sm_', `sm_(?:pat|aat|sat)_[A-Za-z0-9]{16}${END}`, { ...CLOUD, entropy: 3 }),
  token(
    'onepassword-secret-key',
    'a3-',
    `A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}${END}`,
    {
      entropy: 3,
    },
  ),
  token('onepassword-service-token', 'ops_eyj', 'ops_eyJ[A-Za-z0-9+/_-]{250,2000}={0,3}', { entropy: 4 }),
  token('age-secret-key', 'age-secret-key-1', `AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}${END}`, { type: 'PRIVATE_KEY' }),
]
