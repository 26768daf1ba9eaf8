import type { Knowledge } from '../knowledge.ts'

/** Servers for databases, clusters, containers and clouds. */
export const SYSTEMS: readonly Knowledge[] = [
  {
    pack: 'postgres',
    title: 'PostgreSQL',
    from: '@modelcontextprotocol/server-postgres 0.6.2',
    packages: ['@modelcontextprotocol/server-postgres'],
    // It starts a read-only transaction, but a statement can end it: `COMMIT; DROP …`.
    does: { 'write+destructive': 'query' },
  },
  {
    pack: 'sqlite',
    title: 'SQLite (mcp-server-sqlite)',
    from: 'the public list of tools of mcp-server-sqlite',
    packages: ['mcp-server-sqlite', 'mcp-server-sqlite-npx'],
    does: {
      read: 'list_tables describe_table',
      write: 'create_table append_insight',
      'write+destructive': 'read_query write_query',
    },
  },
  {
    pack: 'kubernetes',
    title: 'Kubernetes',
    from: 'mcp-server-kubernetes 4.1.7',
    packages: ['mcp-server-kubernetes'],
    does: {
      read: 'kubectl_get kubectl_describe kubectl_logs explain_resource list_api_resources ping',
      'write+external': 'kubectl_context kubectl_reconnect port_forward stop_port_forward',
      'write+destructive+external':
        'kubectl_apply kubectl_create kubectl_scale kubectl_patch kubectl_rollout install_helm_chart upgrade_helm_chart',
      'write+destructive+external+privileged':
        'cleanup kubectl_delete uninstall_helm_chart node_management exec_in_pod kubectl_generic',
    },
  },
  {
    pack: 'docker',
    title: 'Docker (run_command)',
    from: 'mcp-server-docker 1.0.0 from npm; the public list of tools of mcp-server-docker for Python',
    packages: ['mcp-server-docker'],
    does: {
      read: 'list_containers fetch_container_logs list_images list_networks list_volumes',
      'write+external': 'pull_image create_network create_volume',
      'write+external+privileged': 'create_container run_container recreate_container build_image',
      'write+destructive': 'start_container stop_container',
      'write+destructive+external': 'remove_container push_image remove_image remove_network remove_volume',
      'write+destructive+external+privileged': 'run_command',
    },
  },
  {
    pack: 'aws',
    title: 'AWS (mcp-server-aws)',
    from: 'the public list of tools of mcp-server-aws',
    packages: ['mcp-server-aws'],
    does: {
      read: 's3_bucket_list s3_object_list s3_object_read dynamodb_table_describe dynamodb_table_list dynamodb_item_get dynamodb_item_query dynamodb_item_scan dynamodb_batch_get dynamodb_describe_ttl',
      'write+external': 's3_bucket_create s3_object_upload dynamodb_table_create dynamodb_item_put dynamodb_update_ttl',
      'write+destructive+external':
        's3_bucket_delete s3_object_delete dynamodb_table_delete dynamodb_table_update dynamodb_item_update dynamodb_item_delete dynamodb_item_batch_write dynamodb_batch_execute',
    },
  },
  {
    pack: 'cloudflare',
    title: 'Cloudflare',
    from: '@cloudflare/mcp-server-cloudflare 0.2.0',
    packages: ['@cloudflare/mcp-server-cloudflare'],
    does: {
      read: 'get_kvs kv_get kv_list worker_list worker_get analytics_get workers_analytics_search r2_list_buckets r2_list_objects r2_get_object d1_list_databases do_list_namespaces do_get_object do_list_objects do_alarm_list queue_list queue_get ai_list_models ai_get_model workflow_get workflow_list template_list template_get wfp_list_dispatch_namespaces wfp_list_custom_domains service_binding_list env_var_list route_list cron_list zones_list zones_get domain_list secret_list version_list version_get wrangler_config_get',
      'write+external':
        'r2_create_bucket d1_create_database do_create_namespace queue_create queue_send_message queue_send_batch queue_get_message queue_update_visibility ai_inference ai_embeddings ai_text_generation ai_image_generation workflow_create wfp_create_dispatch_namespace do_alarm_set',
      'write+destructive+external':
        'kv_put kv_delete r2_delete_bucket r2_put_object r2_delete_object d1_delete_database d1_query do_delete_namespace do_delete_object do_alarm_delete queue_delete queue_delete_message workflow_delete workflow_update wfp_delete_dispatch_namespace wfp_add_custom_domain wfp_remove_custom_domain service_binding_create service_binding_delete service_binding_update env_var_set env_var_delete env_var_bulk_set route_create route_delete route_update cron_create cron_delete cron_update version_rollback wrangler_config_update',
      'write+destructive+external+privileged':
        'worker_put worker_delete worker_deploy template_create_worker workflow_execute secret_put secret_delete',
    },
  },
]
