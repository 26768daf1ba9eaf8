import type { Knowledge } from '../knowledge.ts'

/** Servers for messages, calendars, tickets, documents and money. */
export const WORK: readonly Knowledge[] = [
  {
    pack: 'slack',
    title: 'Slack',
    from: '@modelcontextprotocol/server-slack 2025.4.25',
    packages: ['@modelcontextprotocol/server-slack'],
    does: {
      read: 'slack_list_channels slack_get_channel_history slack_get_thread_replies slack_get_users slack_get_user_profile',
      'write+external': 'slack_post_message slack_reply_to_thread slack_add_reaction',
    },
    fields: {
      slack_post_message: { recipients: ['/channel_id'] },
      slack_reply_to_thread: { recipients: ['/channel_id'] },
      slack_add_reaction: { recipients: ['/channel_id'] },
    },
  },
  {
    pack: 'gmail',
    title: 'Gmail',
    from: '@gongrzhe/server-gmail-autoauth-mcp 1.1.11',
    packages: ['@gongrzhe/server-gmail-autoauth-mcp'],
    does: {
      read: 'read_email search_emails list_email_labels list_filters get_filter',
      write:
        'draft_email modify_email batch_modify_emails create_label update_label get_or_create_label download_attachment',
      'write+external': 'send_email',
      'write+destructive': 'delete_email batch_delete_emails delete_label delete_filter',
      // A filter can forward mail from then on.
      'write+external+privileged': 'create_filter create_filter_from_template',
    },
    fields: {
      send_email: { recipients: ['/to', '/cc', '/bcc'], paths: ['/attachments'] },
      draft_email: { recipients: ['/to', '/cc', '/bcc'], paths: ['/attachments'] },
      download_attachment: { paths: ['/savePath', '/filename'] },
    },
  },
  {
    pack: 'google-calendar',
    title: 'Google Calendar',
    from: '@cocal/google-calendar-mcp 2.6.3',
    packages: ['@cocal/google-calendar-mcp'],
    does: {
      read: 'list-calendars list-events search-events get-event list-colors get-freebusy get-current-time',
      // Guests are notified by mail.
      'write+external': 'create-event create-events update-event respond-to-event',
      'write+destructive+external': 'delete-event',
      'write+privileged': 'manage-accounts',
    },
    fields: {
      'create-event': { recipients: ['/attendees', '/calendarId'] },
      'update-event': { recipients: ['/attendees', '/calendarId'] },
    },
  },
  {
    pack: 'notion',
    title: 'Notion',
    from: '@notionhq/notion-mcp-server 2.5.2',
    packages: ['@notionhq/notion-mcp-server'],
    does: {
      read: 'API-get-user API-get-users API-get-self API-post-search API-get-block-children API-retrieve-a-block API-retrieve-a-page API-retrieve-a-page-property API-retrieve-a-comment API-query-data-source API-retrieve-a-data-source API-list-data-source-templates API-retrieve-a-database API-retrieve-page-markdown',
      'write+external':
        'API-patch-block-children API-post-page API-create-a-comment API-create-a-data-source API-move-page',
      'write+destructive+external':
        'API-update-a-block API-delete-a-block API-patch-page API-update-a-data-source API-update-page-markdown',
    },
  },
  {
    pack: 'linear',
    title: 'Linear',
    from: 'linear-mcp 1.2.0',
    packages: ['linear-mcp'],
    does: {
      read: 'linear_search_issues linear_search_issues_by_identifier linear_get_teams linear_get_user linear_get_project linear_list_projects',
      'write+external':
        'linear_create_issue linear_create_project_with_issues linear_bulk_update_issues linear_create_issues linear_create_comment linear_update_comment linear_resolve_comment linear_unresolve_comment linear_create_customer_need_from_attachment',
      'write+destructive+external': 'linear_delete_issue linear_delete_issues linear_delete_comment',
      'write+privileged': 'linear_auth_callback',
    },
  },
  {
    pack: 'jira',
    title: 'Jira',
    from: '@aashari/mcp-server-atlassian-jira 3.3.0',
    packages: ['@aashari/mcp-server-atlassian-jira'],
    does: {
      read: 'jira_get',
      'write+external': 'jira_post',
      'write+destructive+external': 'jira_put jira_patch jira_delete',
    },
  },
  {
    pack: 'sentry',
    title: 'Sentry',
    from: '@sentry/mcp-server 0.39.0',
    packages: ['@sentry/mcp-server'],
    does: {
      read: 'find_organizations find_projects search_events search_issues get_sentry_resource search_sentry_tools',
      'write+external': 'update_issue analyze_issue_with_seer execute_sentry_tool',
    },
  },
  {
    pack: 'stripe',
    title: 'Stripe',
    from: 'the public list of tools of mcp.stripe.com',
    packages: ['@stripe/mcp'],
    addresses: ['https://mcp.stripe.com'],
    does: {
      read: 'get_stripe_account_info retrieve_balance list_coupons list_customers list_disputes list_invoices list_payment_intents list_prices list_products list_subscriptions search_stripe_resources fetch_stripe_resources search_stripe_documentation',
      'write+external':
        'create_coupon create_customer create_invoice create_invoice_item create_payment_link create_price create_product',
      'write+destructive+external':
        'update_dispute finalize_invoice create_refund cancel_subscription update_subscription',
    },
    fields: {
      create_refund: { amounts: ['/amount'] },
      create_price: { amounts: ['/unit_amount'] },
      create_invoice: { recipients: ['/customer'] },
      create_invoice_item: { recipients: ['/customer'] },
      create_customer: { recipients: ['/email'] },
    },
  },
]
