import type { RuleInput } from '../rule.ts'

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
export const NATIONAL_ID_RULES: readonly RuleInput[] = [
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
