/**
 * What parameter names say about the role of a value. The first list that contains a word of the name decides. Destinations come
 * first, because they are worth most to an attacker.
 */
export const ROLE_WORDS = {
  destination:
    'recipient recipients receiver receivers cc bcc email emails e-mail iban account url uri link href host hostname domain webhook endpoint channel channels phone mobile fax address addressee participants attendees invitees invitee password passwort contrasena passphrase secret remote callback redirect empfanger konto adresse destinatario cuenta payee beneficiary wallet sender server card payment token pin cvv credential credentials iban bic',
  date: 'date datetime day time start end deadline due until since when begin from_date to_date datum fecha expiration expiry',
  content:
    'body message text content contents description subject title comment note notes summary caption reason html markdown prompt details inhalt betreff nachricht texto mensaje asunto cuerpo resolution query',
  entity:
    'id ids name names file files filename path folder directory key symbol ticker number code user username owner repo branch title label tag tags item product hotel restaurant company source target destination location city country state zip',
} as const

export const FLAG_WORDS = 'mode type status kind format unit order priority level option class'
