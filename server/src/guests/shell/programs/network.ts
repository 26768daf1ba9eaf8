import { rows, type ProgramTable } from '../program.ts'

/** Programs that reach other machines. A plain fetch is a read; anything that sends data out or writes a file is not. */
export const NETWORK: ProgramTable = {
  curl: {
    does: 'fetches',
    valued:
      '-H --header -A --user-agent -e --referer -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -w --write-out --max-redirs -r --range --url --cacert --limit-rate',
    plain:
      '-s --silent -S --show-error -L --location -f --fail --fail-with-body -i --include -I --head -v --verbose -k --insecure -g --globoff -N --no-buffer -4 -6 --ipv4 --ipv6 --compressed --http1.1 --http2 --http3 -G --get -# --progress-bar --no-progress-meter --tlsv1.2 --tlsv1.3 -V --version -h --help --retry-connrefused --retry-all-errors -sS -sSL -fsSL',
    options: {
      '-o --output -O --remote-name --remote-name-all --output-dir -J --remote-header-name -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc --create-dirs -C --continue-at -R --remote-time':
        'writes',
      '-d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --form-string -T --upload-file -X --request -u --user -b --cookie --oauth2-bearer -n --netrc --netrc-file --netrc-optional -E --cert --key -Q --quote -t --telnet-option --mail-from --mail-rcpt -a --append --url-query --aws-sigv4':
        'sends',
      '-K --config -x --proxy --socks5 --socks4 --preproxy --unix-socket --abstract-unix-socket --resolve --connect-to --interface --dns-servers --doh-url':
        'unknown',
    },
  },
  wget: {
    does: 'writes',
    instead: { '-O=- --output-document=- --spider': 'fetches' },
    options: {
      '--post-data --post-file --method --body-data --body-file --user --password': 'sends',
      '--use-askpass -e --execute --config --ca-certificate': 'runs',
    },
    valued: '-O --output-document -t -T --timeout --tries -U --user-agent',
  },
  ...rows('http https xh httpie aria2c lynx w3m links elinks', 'sends'),
  ...rows('ping ping6', {
    does: 'fetches',
    valued: '-c -W -w -i -t -s -I -m -p --pattern',
    options: { '-f': 'unknown', '-p --pattern': 'sends' },
  }),
  ...rows('dig nslookup host traceroute tracepath mtr whois', {
    does: 'fetches',
    valued: '-c -W -w -i -t -s -I -p -m',
    options: { '-f': 'unknown' },
  }),
  ...rows(
    'nc ncat netcat socat telnet ftp sftp lftp tftp scp rcp rsh rlogin mosh nmap masscan mail mailx sendmail mutt swaks ngrok cloudflared localtunnel lt',
    'sends',
  ),
  ssh: { does: 'sends' },
  ...rows(
    'ssh-keygen ssh-copy-id ssh-add ssh-agent gpg gpg2 age sops pass op vault security secret-tool keyctl',
    'unknown',
  ),
  ...rows('open xdg-open start explorer', 'runs'),
  gh: {
    does: 'sends',
    subcommands: {
      'pr issue': { does: 'sends', subcommands: { 'list view status checks diff ls': 'fetches' } },
      'run workflow release repo gist label cache ruleset': {
        does: 'sends',
        subcommands: { 'list view ls': 'fetches' },
      },
      search: { does: 'fetches' },
      auth: { does: 'sends', subcommands: { status: { does: 'fetches', options: { '-t --show-token': 'unknown' } } } },
      'status version help': 'fetches',
      api: {
        does: 'fetches',
        valued: '-q --jq -t --template --cache -p --preview',
        plain: '-i --include --paginate --silent --slurp',
      },
    },
  },
  glab: {
    does: 'sends',
    subcommands: {
      'mr issue ci repo release': { does: 'sends', subcommands: { 'list view status diff ls': 'fetches' } },
    },
  },
}
