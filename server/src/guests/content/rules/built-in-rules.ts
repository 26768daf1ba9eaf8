import type { RuleInput } from '../rule.ts'
import { CLOUD_RULES } from './cloud.ts'
import { CONTEXT_RULES } from './contexts.ts'
import { MESSAGING_RULES } from './messaging.ts'
import { PII_RULES } from './pii.ts'
import { SERVICE_RULES } from './services.ts'
import { ASSIGNMENT_RULES, STRUCTURE_RULES } from './structures.ts'
import { END, named, token, UUID } from './shapes.ts'

/** Code hosting, package registries, build servers and scanners. */
const CODE_RULES: readonly RuleInput[] = [
  token('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', `gh[pousr]_[A-Za-z0-9]{36,255}${END}`, { entropy: 3 }),
  token('github-fine-grained-token', 'github_pat_', `github_pat_\\w{80,90}${END}`, { entropy: 3 }),
  token(
    'gitlab-token',
    'glpat- gldt- glft- glsoat- glrt- glcbt- glffct- glrtr- glwt-',
    `gl(?:pat|dt|ft|soat|rt|cbt|ffct|rtr|wt)-[\\w-]{20,50}${END}(?!\\.\\w)`,
    {
      entropy: 3,
    },
  ),
  token(
    'gitlab-routable-token',
    'glpat- glrt- gldt- glft-',
    'gl[a-z]{2,5}-(?:t\\d_)?[\\w-]{27,300}\\.[0-9a-z]{2}\\.?[a-z0-9]{7}(?![\\w.-])',
    {
      entropy: 3,
    },
  ),
  token('gitlab-runner-registration', 'gr1348941', `GR1348941[\\w-]{20,50}${END}`, { entropy: 3 }),
  token('gitlab-mail-token', 'glimt-', `glimt-[\\w-]{25}${END}`, { entropy: 3 }),
  token('gitlab-trigger-token', 'glptt-', `glptt-[\\w-]{40}${END}`, { entropy: 3 }),
  token('gitlab-agent-token', 'glagent-', `glagent-[\\w-]{50,1024}${END}`, { entropy: 3 }),
  token('gitlab-oauth-secret', 'gloas-', `gloas-[\\w-]{64}${END}`, { entropy: 3 }),
  named('gitlab-session', 'gitlab', '[a-f0-9]{32}', {}),
  token('bitbucket-token', 'atbb', `ATBB[A-Za-z0-9_=.-]{32}${END}`, { entropy: 3 }),
  named('bitbucket-secret', 'bitbucket', '[A-Za-z0-9]{32}|[A-Za-z0-9=_-]{64}'),
  token('atlassian-token', 'atatt3', 'ATATT3[\\w=.-]{80,250}', { entropy: 3.5 }),
  token('atlassian-connect-token', 'atctt3', 'ATCTT3[\\w=.-]{80,250}', { entropy: 3.5 }),
  named('atlassian-key', 'atlassian jira confluence bitbucket', '[A-Za-z0-9]{20,24}', {
    entropy: 3.2,
    check: 'random',
  }),
  token('npm-token', 'npm_', `npm_[A-Za-z0-9]{36}${END}`, { entropy: 2.5 }),
  token(
    'npm-registry-token',
    ':_authtoken',
    `/:_authToken[ \\t]{0,3}=[ \\t]{0,3}"?(npm_[A-Za-z0-9]{8,40}|${UUID})${END}`,
    {
      back: 1,
      glued: true,
      group: 1,
    },
  ),
  token('pypi-token', 'pypi-age', 'pypi-AgE[\\w-]{68,1000}', { entropy: 3.5 }),
  token('rubygems-token', 'rubygems_', `rubygems_[a-f0-9]{48}${END}`, { entropy: 2.5 }),
  token('nuget-key', 'oy2', `oy2[a-z0-9]{43}${END}`, { entropy: 3.5 }),
  token('crates-token', 'cio', `cio[A-Za-z0-9]{32}${END}`, { entropy: 3.5, check: 'mixed-characters' }),
  token('clojars-token', 'clojars_', `CLOJARS_[a-z0-9]{60}${END}`, { ignoreCase: true, entropy: 2.5 }),
  token('docker-token', 'dckr_pat_ dckr_oat_', `dckr_[po]at_[\\w-]{27,40}${END}`, { entropy: 3 }),
  token('artifactory-key', 'akcp', `AKCp[A-Za-z0-9]{60,80}${END}`, { entropy: 4 }),
  token('artifactory-short-key', 'akc', `AKC[A-Za-z0-9]{10,59}${END}`, { literal: true }),
  token(
    'artifactory-password',
    'ap',
    `AP(?:\\d[A-Za-z0-9]{9}|[A-F](?=[A-Za-z]{0,60}\\d)[A-Za-z0-9]{9})[A-Za-z0-9]{0,60}${END}`,
    {
      literal: true,
    },
  ),
  token('artifactory-reference-token', 'cmvmd', `cmVmd[A-Za-z0-9]{59}${END}`, { entropy: 4 }),
  named('jfrog-key', 'jfrog artifactory bintray xray', '[A-Za-z0-9]{64,73}', { entropy: 3.5 }),
  token('sonar-token', 'squ_ sqp_ sqa_', `sq[upa]_[A-Za-z0-9]{40}${END}`, { entropy: 2.5 }),
  named('sonar-key', 'sonar sonarqube sonarcloud', '[A-Za-z0-9]{40}', {}),
  named('snyk-token', 'snyk', UUID),
  token('sourcegraph-token', 'sgp_', `sgp_(?:(?:[A-Fa-f0-9]{16}|local)_)?[A-Fa-f0-9]{40}${END}`, { entropy: 3 }),
  named('sourcegraph-key', 'sourcegraph', '[A-Fa-f0-9]{40}', { entropy: 3 }),
  token('postman-key', 'pmak-', `PMAK-[a-f0-9]{24}-[a-f0-9]{34}${END}`, { ignoreCase: true, entropy: 2.5 }),
  token('circleci-token', 'ccipat_ ccipr', `CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}${END}`, { entropy: 3 }),
  named('circleci-key', 'circle circleci', '[a-f0-9]{40}'),
  token('buildkite-token', 'bkua_', `bkua_[a-f0-9]{40}${END}`, { entropy: 3 }),
  named('travis-token', 'travis', '[A-Za-z0-9]{22}', { entropy: 3, check: 'random' }),
  named('drone-token', 'drone', '[A-Za-z0-9]{32}', { entropy: 3 }),
  named('codecov-token', 'codecov', `[A-Za-z0-9]{32}|${UUID}`, { entropy: 3 }),
  named('codacy-token', 'codacy', '[a-f0-9]{32}'),
  named('coveralls-token', 'coveralls', '[A-Za-z0-9]{32,37}'),
  named('codeclimate-token', 'codeclimate', '[a-f0-9]{64}'),
  token('sentry-org-token', 'sntrys_', 'sntrys_eyJ[A-Za-z0-9+/=_-]{60,1000}', { entropy: 4 }),
  token('sentry-user-token', 'sntryu_', `sntryu_[a-f0-9]{64}${END}`, { entropy: 3 }),
  named('sentry-key', 'sentry', '[a-f0-9]{64}'),
  token('grafana-cloud-token', 'glc_', 'glc_[A-Za-z0-9+/]{32,400}={0,3}', { entropy: 3, check: 'mixed-characters' }),
  token('grafana-service-token', 'glsa_', `glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}${END}`, { entropy: 3 }),
  token('grafana-key', 'eyjrijoi', 'eyJrIjoi[A-Za-z0-9+/]{40,400}={0,3}', { entropy: 3.5 }),
]

const id = (name: string, at: 'number' | 'code', pattern: string, more: Partial<RuleInput> = {}): RuleInput => ({
  id: name,
  type: 'NATIONAL_ID',
  kind: 'pii',
  at,
  pattern: `${pattern}(?![\\w-])`,
  ...more,
})

/**
 * Government-issued personal numbers. One with letters, groups or two check digits is found by itself; plain digits that one
 * number in ten would satisfy need a word beside them.
 */
const NATIONAL_ID_RULES: readonly RuleInput[] = [
  id('us-ssn', 'number', '\\d{3}([- .])\\d{2}[- .]\\d{4}', { check: 'us-ssn' }),
  id('us-ssn-named', 'number', '\\d{9}', { check: 'us-ssn', near: ['ssn', 'social security'] }),
  id('us-itin', 'number', '9\\d{2}[- ](?:5\\d|6[0-5]|7\\d|8[0-8]|9[0-24-9])[- ]\\d{4}'),
  id('uk-nino', 'code', '[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\\d{6}[A-D]', {
    near: ['nino', 'national insurance', 'ni number'],
  }),
  id('uk-nino-grouped', 'number', '[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \\d\\d \\d\\d \\d\\d [A-D]', { back: 3 }),
  id('uk-nhs', 'number', '\\d{3}[- ]?\\d{3}[- ]?\\d{4}', { check: 'uk-nhs', near: ['nhs', 'patient'] }),
  id('es-nif', 'number', '\\d{8}-?[A-HJ-NP-TV-Z]', { check: 'es-id' }),
  id('es-nie', 'code', '[XYZ]\\d{7}-?[A-HJ-NP-TV-Z]', { check: 'es-id' }),
  id('it-fiscal-code', 'code', '[A-Z]{6}\\d{2}[A-EHLMPRST]\\d{2}[A-Z]\\d{3}[A-Z]', { check: 'it-fiscal-code' }),
  id('fi-personal-code', 'number', '\\d{6}[-+A-FYXWVU]\\d{3}[0-9A-FHJ-NPR-Y]', { check: 'fi-id' }),
  id('se-personal-number', 'number', '(?:\\d{6}[-+]\\d{4}|(?:19|20)\\d{6}-?\\d{4})', { check: 'se-id' }),
  id('pl-pesel', 'number', '\\d{11}', { check: 'pl-pesel', near: ['pesel'] }),
  id('de-tax-id', 'number', '\\d{2} ?\\d{3} ?\\d{3} ?\\d{3}', {
    check: 'de-tax-id',
    near: ['steuer', 'idnr', 'tax id', 'tin'],
  }),
  id('de-pension-number', 'number', '\\d{8}[A-Z]\\d{3}', { check: 'de-pension' }),
  id('fr-nir', 'number', '[12] ?\\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\\d{2}|2[AB]) ?\\d{3} ?\\d{3} ?\\d{2}', {
    check: 'fr-nir',
  }),
  id('nl-bsn', 'number', '\\d{9}', { check: 'nl-bsn', near: ['bsn', 'burgerservice', 'sofinummer'] }),
  id('ch-ahv', 'number', '756\\.\\d{4}\\.\\d{4}\\.\\d{2}', { check: 'ch-ahv' }),
  id('tr-id', 'number', '[1-9]\\d{10}', { check: 'tr-id', near: ['kimlik', 'tckn', 'tc no', 'turkish id', 'tc:'] }),
  id('kr-rrn', 'number', '\\d{6}-[1-8]\\d{6}', { check: 'kr-id' }),
  id('sg-nric', 'code', '[STFGM]\\d{7}[A-Z]', { check: 'sg-id' }),
  id('th-id', 'number', '[1-8]-?\\d{4}-?\\d{5}-?\\d{2}-?\\d', {
    check: 'th-id',
    near: ['thai', 'บัตร', 'national id'],
  }),
  id('in-aadhaar', 'number', '(?<![0-9A-Z]{4} )[2-9]\\d{3}[ -]\\d{4}[ -]\\d{4}(?! \\d)', { check: 'in-aadhaar' }),
  id('in-aadhaar-named', 'number', '[2-9]\\d{11}', { check: 'in-aadhaar', near: ['aadhaar', 'aadhar', 'uidai'] }),
  id('in-pan', 'code', '[A-Z]{3}[ABCFGHLJPT][A-Z]\\d{4}[A-Z]'),
  id('au-tfn', 'number', '\\d{3} ?\\d{3} ?\\d{3}', { check: 'au-tfn', near: ['tfn', 'tax file'] }),
  id('au-medicare', 'number', '[2-6]\\d{3} ?\\d{5} ?\\d', { check: 'au-medicare', near: ['medicare'] }),
  id('ca-sin', 'number', '[1-79]\\d{2}[ -]\\d{3}[ -]\\d{3}', { check: 'luhn' }),
  id('za-id', 'number', '\\d{10}[01][89]\\d', {
    check: 'za-id',
    near: ['south africa', 'rsa id', 'identity number', 'id number', 'sa id'],
  }),
  id('br-cpf', 'number', '\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}', { check: 'br-cpf' }),
]

/** Payments, shops, banks, exchanges and shipping. */
const COMMERCE_RULES: readonly RuleInput[] = [
  token('stripe-key', 'sk_ rk_', `[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}${END}`, { entropy: 2.5 }),
  token('stripe-webhook-secret', 'whsec_', `whsec_[A-Za-z0-9+/=]{24,64}`, { entropy: 3 }),
  token('square-token', 'sq0', `sq0[a-z]{3}-[\\w\\\\-]{22,50}(?![\\w-])`, { entropy: 2 }),
  token('square-access-token', 'eaaa', `EAAA[\\w-]{60}${END}`, { entropy: 4, check: 'mixed-characters' }),
  token(
    'paypal-braintree-token',
    'access_token$',
    'access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}',
    {
      entropy: 3,
    },
  ),
  named('paypal-secret', 'paypal', 'E[A-Za-z0-9_-]{79}', { entropy: 3.5 }),
  token('razorpay-key', 'rzp_', `rzp_(?:live|test)_[A-Za-z0-9]{14}${END}`, { entropy: 3 }),
  token('flutterwave-key', 'flwpubk flwseck', `FLW(?:PUB|SEC)K(?:_TEST)?-?[a-h0-9]{12,32}(?:-X)?${END}`, {
    ignoreCase: true,
    entropy: 2.5,
  }),
  named('gocardless-token', 'gocardless', '(?:live|sandbox)_[\\w=-]{40}', { entropy: 3 }),
  token('plaid-token', 'access-', `access-(?:sandbox|development|production)-${UUID}${END}`, { entropy: 2.5 }),
  named('plaid-key', 'plaid', '[a-f0-9]{24}|[a-f0-9]{30}', { entropy: 3 }),
  named('lob-key', 'lob', '(?:live|test)_(?:pub_)?[a-f0-9]{31,35}'),
  token('shippo-token', 'shippo_', `shippo_(?:live|test)_[a-f0-9]{40}${END}`, { entropy: 2.5 }),
  token('easypost-key', 'ezak eztk', `(?<![+/=])EZ[AT]K[A-Za-z0-9]{54}(?![\\w+/-])`, { entropy: 3 }),
  token('shopify-token', 'shpat_ shpca_ shppa_ shpss_', `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}${END}`, { entropy: 2.5 }),
  token('duffel-token', 'duffel_', `duffel_(?:test|live)_[\\w=-]{43}${END}`, { entropy: 2.5 }),
  token('mollie-key', 'live_', `live_[A-Za-z0-9]{30}${END}`, { entropy: 3.5, check: 'mixed-characters' }),
  named('etsy-key', 'etsy', '[a-z0-9]{24}', { entropy: 3 }),
  named('squarespace-key', 'squarespace', UUID),
  named('freemius-key', 'freemius', 'sk_\\S{29}', { entropy: 3 }),
  named('bittrex-key', 'bittrex', '[a-z0-9]{32}', { entropy: 3 }),
  named('coinbase-key', 'coinbase', '[A-Za-z0-9_-]{64}', { entropy: 3 }),
  named('kraken-key', 'kraken', '[A-Za-z0-9/=_+-]{80,90}', { entropy: 3.5 }),
  named('kucoin-key', 'kucoin', `[a-f0-9]{24}|${UUID}`),
  named('binance-key', 'binance', '[A-Za-z0-9]{64}', { entropy: 3.5 }),
  named('finicity-key', 'finicity', '[a-f0-9]{32}|[A-Za-z0-9]{20}', { entropy: 3 }),
  named('finnhub-token', 'finnhub', '[a-z0-9]{20}|[a-z0-9]{40}', { entropy: 3, check: 'random' }),
  named('adyen-key', 'adyen', 'AQE[A-Za-z0-9+/=]{60,200}', { entropy: 3.5 }),
]

/** Every rule that ships with the gate; if two match the same text, the earlier one names it. */
export const BUILT_IN_RULES: readonly RuleInput[] = [
  ...STRUCTURE_RULES,
  ...CLOUD_RULES,
  ...CODE_RULES,
  ...MESSAGING_RULES,
  ...COMMERCE_RULES,
  ...SERVICE_RULES,
  ...CONTEXT_RULES,
  ...PII_RULES,
  ...NATIONAL_ID_RULES,
  ...ASSIGNMENT_RULES,
]
