/** Names of months, by number, in three languages; three letters are enough. */
export const MONTHS: readonly string[] = [
  'january jan januar enero ene',
  'february feb februar febrero',
  'march mar marz maerz marzo',
  'april apr abril abr',
  'may mai mayo',
  'june jun juni junio',
  'july jul juli julio',
  'august aug agosto ago',
  'september sep sept septiembre',
  'october oct oktober okt octubre',
  'november nov noviembre',
  'december dec dezember dez diciembre dic',
]

/** Numbers that people write as words. */
export const NUMBER_WORDS: readonly string[] = [
  'zero null cero',
  'one eins ein eine uno una first',
  'two zwei dos second twice',
  'three drei tres third',
  'four vier cuatro fourth',
  'five funf cinco fifth',
  'six sechs seis sixth',
  'seven sieben siete seventh',
  'eight acht ocho eighth',
  'nine neun nueve ninth',
  'ten zehn diez tenth',
  'eleven elf once',
  'twelve zwolf doce dozen',
]
