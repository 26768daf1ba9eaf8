import { describe, expect, test } from 'vitest'
import { findSensitive } from './find-sensitive.ts'
import { builtIn } from './rules/built-in.suite.ts'

const secretsIn = (line: string) => findSensitive(line, builtIn).filter(({ kind }) => kind === 'secret')

// Values are assembled at run time, so that secret scanners do not report this file.
const WORD = ['kz82', 'mqLx'].join('')
const LETTERS = ['wkzq', 'htrm'].join('')
const LONG = ['Kz82mqLx93vB', 'nRt6Yp8WqA3s'].join('')

describe('one line of source code or configuration contains a secret', () => {
  test.each([
    `password = "${WORD}"`,
    `password:${WORD}`,
    `PASSWORD: ${LETTERS}`,
    `DB_PASSWORD=${LETTERS}`,
    `String pass = "${LETTERS}";`,
    `let password: String = "${WORD}".to_string();`,
    `define('DB_PASSWORD', '${WORD}');`,
    `<Password>${WORD}</Password>`,
    `    storePassword '${WORD}'`,
    `hmacKey := []byte("${LONG}")`,
    `credentials = base64.b64encode(b"admin:${WORD}")`,
    `sshpass -p '${WORD}' ssh root@10.0.0.4`,
    `mysql -u root -p${WORD} app`,
    `requests.get(url, auth=("admin", "${WORD}"))`,
    `salt = "${LONG}"`,
    `jwt_secret = "my-${WORD}-signing-9"`,
    `passphrase = "correct horse battery staple"`,
    `proxy = http://bob:${WORD}@proxy.corp:3128`,
    `Authorization: token ${LONG}`,
    `ALTER USER app WITH PASSWORD '${WORD}';`,
    `CREATE USER 'app' IDENTIFIED BY '${WORD}'`,
    `set password for 'root'@'localhost' = '${WORD}'`,
    `redis-cli -h cache -a ${WORD} ping`,
    `docker login -u ci -p ${WORD} registry.corp`,
    `new NetworkCredential("admin", "${WORD}")`,
    `nonce = "${LONG}"`,
    `service_api: "${LONG}"`,
    `psk="${WORD}"`,
    `passwd = ${['UjPytH', 'OhaQaO'].join('')}`,
  ])('%s', (line) => expect(secretsIn(line)).not.toEqual([]))
})

describe('one line of source code or configuration contains none', () => {
  test.each([
    ['a label in another language', '"password": "Mot de passe",'],
    ['a label in other letters', '"password": "パスワード"'],
    ['a label with a capital', '"password": "Required",'],
    ['the name of a field', "password: 'newPassword',"],
    ['a path', '"password": "/run/secrets/db_password"'],
    ['a regular expression', String.raw`PASSWORD_REGEX = "^(?=.*\\d).{8,}$"`],
    ['the type of a column', '"password": "varchar(64)"'],
    ['a parameter of a statement', 'update t set password=":password"'],
    ['an encrypted value', 'password: ENC(kdjf83hfks)'],
    ['an encrypted value of another kind', 'password: "{cipher}AQB3kd83"'],
    ['a test dummy', 'password: test123'],
    ['a value that a build fills in', 'jdbc.password = @jdbc.password@'],
    ['a variable of a statement', "ALTER USER app PASSWORD '$1'"],
    ['the name of a function', 'passwd = getUserPasswd'],
    ['a default of a developer', 'postgres://postgres:postgres@localhost/test'],
    ['a call', "password = config.get('db.password')"],
    ['a lookup', 'password = os.environ["DB_PASSWORD"]'],
    ['a kind of secret', 'secret: "kubernetes.io/tls"'],
    ['the key of an object', '"objectKey": "uploads/2024/05/image-3f786850.png"'],
    ['a long word', 'token: "thisisaverylongdummytoken"'],
    ['an abbreviation', "secret.normalize('NFKC')"],
  ])('%s', (_, line) => expect(secretsIn(line)).toEqual([]))
})
