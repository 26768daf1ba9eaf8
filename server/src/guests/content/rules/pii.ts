import type { RuleInput } from '../rule.ts'

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = `${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}(?![\\d\\w]|\\.\\d)(?:/\\d{1,2}(?!\\d))?`
const IPV6 = '[0-9A-Fa-f:.]{2,45}(?![\\w:])(?:%\\w{1,15})?(?:/\\d{1,3}(?!\\d))?'
const PHONE_WORDS = [
  'phone',
  'mobile',
  'cell',
  'tel',
  'call',
  'fax',
  'whatsapp',
  'sms',
  'handy',
  'telefon',
  'móvil',
  'movil',
  'celular',
  'cep no',
  'dial',
]

/** What identifies or locates a person: addresses, account, card and phone numbers. */
export const PII_RULES: readonly RuleInput[] = [
  {
    id: 'email',
    type: 'EMAIL',
    kind: 'pii',
    at: 'keyword',
    keywords: ['@'],
    glued: true,
    pattern:
      "(?<=(?<pre>(?<![\\w.+])[\\w.%+'-]{1,64}))@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\\.){1,8}(?:xn--[a-z0-9-]{2,59}|[A-Za-z]{2,24})(?![\\w@])",
    check: 'email',
  },
  {
    id: 'payment-card',
    type: 'PAYMENT_CARD',
    kind: 'pii',
    at: 'number',
    pattern: '\\d{3,19}(?:[ -]\\d{3,7}){0,4}',
    check: 'payment-card',
  },
  {
    id: 'iban',
    type: 'IBAN',
    kind: 'pii',
    at: 'code',
    pattern: '[A-Z]{2}\\d{2}(?:[ -]?[0-9A-Z]){11,32}',
    check: 'iban',
  },
  { id: 'ipv4', type: 'IPV4', kind: 'pii', at: 'number', pattern: IPV4, check: 'ipv4-public' },
  { id: 'ipv4-local', type: 'IPV4', kind: 'pii', at: 'number', pattern: IPV4, check: 'ipv4-local' },
  { id: 'ipv6', type: 'IPV6', kind: 'pii', at: 'colon', pattern: IPV6, check: 'ipv6-public' },
  { id: 'ipv6-local', type: 'IPV6', kind: 'pii', at: 'colon', pattern: IPV6, check: 'ipv6-local' },
  {
    id: 'phone-international',
    type: 'PHONE',
    kind: 'pii',
    at: 'keyword',
    keywords: ['+1', '+2', '+3', '+4', '+5', '+6', '+7', '+8', '+9'],
    pattern: '\\+[1-9](?:[ .()/-]{0,2}\\d){7,14}(?![\\d\\w])',
    check: 'phone',
  },
  {
    id: 'phone-north-american',
    type: 'PHONE',
    kind: 'pii',
    at: 'number',
    pattern: '(?:\\d{1,2}[-. ])?[2-9]\\d{2}([-. ])[2-9]\\d{2}[-. ]\\d{4}(?![\\d\\w-])',
    check: 'phone',
  },
  {
    id: 'phone-bracketed',
    type: 'PHONE',
    kind: 'pii',
    at: 'keyword',
    keywords: ['(0', '(1', '(2', '(3', '(4', '(5', '(6', '(7', '(8', '(9'],
    glued: true,
    pattern: '\\(\\d{2,4}\\)[ .-]?\\d{3,4}[ .-]?\\d{3,4}(?![\\d\\w])',
    check: 'phone',
  },
  {
    id: 'phone-national',
    type: 'PHONE',
    kind: 'pii',
    at: 'number',
    pattern:
      '(?<![0-9A-Z]{4} )(?:0[1-9]\\d{9}|0[ -]?\\(\\d{2,4}\\)[ -]?\\d{3}[ -]?\\d{2}[ -]?\\d{2}|0[1-9]\\d{0,3}[ /-]\\d{3,4}[ -]?\\d{2,5}(?:[ -]\\d{2})?|0[ -][1-9]\\d{2}[ -]\\d{3}[ -]\\d{2}[ -]?\\d{2}|0[1-9](?:[ .]\\d\\d){4})(?![\\d\\w-]| \\d{4})',
    check: 'phone',
  },
  {
    id: 'phone-named',
    type: 'PHONE',
    kind: 'pii',
    at: 'number',
    pattern: '\\d(?:[ ()./-]{0,2}\\d){6,14}(?![\\d\\w])',
    near: PHONE_WORDS,
    check: 'phone',
  },
  {
    id: 'mac-address',
    type: 'MAC_ADDRESS',
    kind: 'pii',
    at: 'colon',
    pattern: '(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}(?![\\w:])',
    check: 'mac',
  },
]
