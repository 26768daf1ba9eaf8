import { rows, type ShellProgram, type ProgramTable } from '../program.ts'

const shows = (names: string, does: 'fetches' | 'reads' = 'fetches'): ShellProgram => ({
  does: 'sends',
  subcommands: { [names]: does },
})

/** Containers, clusters, clouds and infrastructure. Anything but a plain listing affects something that others use. */
const docker: ShellProgram = {
  does: 'sends',
  bare: 'reads',
  valued: '-H --host --context -c --config -l --log-level',
  options: { '-H --host --context -c --config': 'unknown' },
  subcommands: {
    'ps images logs inspect version info top stats port history diff events search': {
      does: 'reads',
      valued: '-f --filter --format -n --tail --since',
    },
    'container image volume network context node service stack secret plugin buildx manifest system builder': {
      does: 'sends',
      subcommands: {
        'ls list inspect ps logs df info top stats port history du': 'reads',
        'rm prune remove': 'destroys',
      },
    },
    'compose stack': {
      does: 'runs',
      valued: '-f --file -p --project-name --profile --env-file',
      subcommands: { 'ps ls logs top images port version': 'reads', 'down rm kill': 'destroys' },
    },
    'rm rmi kill prune': 'destroys',
    'run exec build create start restart cp commit load import': {
      does: 'runs',
      options: { '--privileged --pid --cap-add -v --volume --mount --network --device': 'escalates' },
    },
  },
}

const kubectl: ShellProgram = {
  does: 'sends',
  bare: 'reads',
  valued:
    '-n --namespace --context --kubeconfig -l -o --output --cluster --user --field-selector --sort-by -c --tail --since -s --server',
  options: { '--as --as-group --token': 'escalates', '-s --server --kubeconfig': 'unknown' },
  subcommands: {
    get: {
      does: 'fetches',
      valued: '-n --namespace -l -o --output --context --field-selector --sort-by --selector',
      options: { '--raw': 'unknown' },
    },
    'describe logs top explain version api-resources api-versions cluster-info events diff wait': 'fetches',
    config: {
      does: 'writes',
      subcommands: {
        'current-context get-contexts get-clusters get-users': 'reads',
        view: { does: 'reads', options: { '--raw --flatten': 'unknown' } },
      },
    },
    auth: { does: 'sends', subcommands: { 'can-i whoami': 'fetches' } },
    rollout: { does: 'sends', subcommands: { 'status history': 'fetches' } },
    'delete drain': 'destroys',
    'exec run debug attach cp port-forward proxy': 'runs',
  },
}

export const SERVICES: ProgramTable = {
  ...rows('docker podman nerdctl', docker),
  ...rows('docker-compose podman-compose', {
    does: 'runs',
    bare: 'reads',
    valued: '-f --file -p',
    subcommands: { 'ps ls logs top images port version config': 'reads', 'down rm kill': 'destroys' },
  }),
  ...rows('kubectl oc k', kubectl),
  helm: {
    does: 'sends',
    bare: 'reads',
    valued: '-n --namespace --kube-context',
    subcommands: {
      'list ls status history search show version lint template env': 'fetches',
      // Values and manifests often contain passwords.
      get: { does: 'unknown', subcommands: { 'notes hooks metadata': 'fetches' } },
      'uninstall delete': 'destroys',
    },
  },
  ...rows('terraform tofu', {
    does: 'sends',
    bare: 'reads',
    valued: '-chdir',
    subcommands: {
      'version validate providers graph': 'reads',
      'show output': 'unknown',
      plan: { does: 'runs' },
      fmt: { does: 'writes', instead: { '-check': 'reads' } },
      state: { does: 'destroys', subcommands: { list: 'fetches' } },
      workspace: { does: 'writes', subcommands: { 'list show': 'reads' } },
      destroy: 'destroys',
    },
  }),
  aws: {
    does: 'sends',
    bare: 'reads',
    valued: '--profile --region --output --query --endpoint-url',
    options: { '--endpoint-url': 'unknown', '--debug': 'unknown' },
    subcommands: {
      s3: shows('ls'),
      sts: shows('get-caller-identity'),
      ec2: shows(
        'describe-instances describe-vpcs describe-subnets describe-security-groups describe-images describe-volumes describe-regions',
      ),
      iam: shows('list-users list-roles list-policies get-user get-role'),
      s3api: shows('list-buckets list-objects list-objects-v2 head-object get-bucket-location'),
      lambda: shows('list-functions'),
      logs: shows('describe-log-groups describe-log-streams filter-log-events tail get-log-events'),
      cloudformation: shows('describe-stacks list-stacks describe-stack-events'),
      ecs: shows('list-clusters list-services describe-services list-tasks describe-tasks describe-clusters'),
      eks: shows('list-clusters describe-cluster'),
      rds: shows('describe-db-instances describe-db-clusters'),
      cloudwatch: shows('list-metrics describe-alarms get-metric-statistics'),
      dynamodb: shows('list-tables describe-table'),
    },
  },
  gcloud: {
    does: 'sends',
    bare: 'reads',
    valued: '--project --format --filter --zone --region --limit',
    subcommands: {
      'config projects': shows('list describe get-value'),
      'compute container run functions': {
        does: 'sends',
        subcommands: {
          'list describe': 'fetches',
          'instances clusters services zones regions': shows('list describe'),
        },
      },
    },
  },
  az: { does: 'sends', bare: 'reads', subcommands: { 'account group vm aks webapp': shows('show list') } },
  ...rows(
    'doctl flyctl fly heroku vercel netlify wrangler firebase supabase railway render pulumi ansible ansible-playbook vagrant packer nomad consul eb sam cdk serverless sls stripe twilio',
    'sends',
  ),
}
