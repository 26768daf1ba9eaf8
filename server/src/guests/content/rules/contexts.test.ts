import { expect, test } from 'vitest'
import { findSensitive } from '../find-sensitive.ts'
import { builtIn } from './built-in.suite.ts'

/** Made up here, so that secret scanners do not report this file. */
const PW = ['Winter', '0815', '!x'].join('')
const HEX = '47d574f2644e2e67'.concat('55820bef2e0ea490', 'd6b6562e2a70ec2c')
const secretsIn = (text: string) =>
  findSensitive(text, builtIn)
    .filter(({ kind }) => kind === 'secret')
    .map(({ start, end }) => text.slice(start, end))

test.each([
  `openssl enc -aes-256-cbc -pass pass:${PW} -in a`,
  `keytool -list -storepass ${PW} -keystore a.jks`,
  `ldapsearch -D cn=admin -w ${PW} -b dc=corp`,
  `smbclient //fs/share -U svc%${PW}`,
  `net use Z: //fs/share /user:CORP/svc ${PW}`,
  `echo ${PW} | sudo -S reboot`,
  `echo "deploy:${PW}" | chpasswd`,
  `SSHPASS=${PW} sshpass -e ssh a@b`,
  `jdbc:oracle:thin:scott/${PW}@//ora:1521/X`,
  `smtp.login("a@corp.io", "${PW}")`,
  `The password for the staging box is ${PW}, do not share it.`,
  `root password on the jump host: ${PW}`,
  `mot de passe : ${PW}`,
  `credentials: svc / ${PW}`,
])('the password in `%s` is found', (text) => expect(secretsIn(text)).toContain(PW))

test.each([
  `datadog application key ${HEX}`,
  `Use the token ${HEX} when calling.`,
  `crypto.createHmac('sha256', '${HEX}')`,
  `AES.new(bytes.fromhex("${HEX}"), AES.MODE_GCM)`,
  `Cookie: theme=dark; session=${HEX}; lang=en`,
])('the key in `%s` is found', (text) => expect(secretsIn(text)).toContain(HEX))

test('seed phrases and recovery codes are found', () => {
  const words = 'gravity machine north sort system female filter attitude volume fold club stay'
  expect(secretsIn(`seed phrase: ${words}`)).toEqual([words])
  expect(secretsIn('recovery codes:\n1234-5678\n8765-4321\n')).toEqual(['1234-5678\n8765-4321'])
})

test.each([
  'openssl enc -pass pass:$PASS -in a',
  'echo $PASSWORD | docker login --password-stdin',
  'echo hello | grep -c h',
  'the primary key is generated',
  `commit ${HEX}`,
  `partition key ${HEX}`,
  `cache key ${HEX}`,
  'The password for the demo page is shown below.',
  'password Argon2id hashing',
  "login('bob', 'wrong-password')",
  'Cookie: theme=dark; lang=en',
  'a mnemonic is a word that helps you to remember a list of names or a rule',
  'backup codes are printed once',
])('nothing is found in `%s`', (text) => expect(secretsIn(text)).toEqual([]))
