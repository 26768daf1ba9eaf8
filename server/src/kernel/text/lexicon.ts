/**
 * Words that tell what a tool does. Only general English and API words: product names would cover one vendor and not the next.
 */
export type VerbClass = 'read' | 'work_out' | 'derive' | 'soft_read' | 'write' | 'soft_write' | 'destructive'

const words = (text: string): string[] => text.trim().split(/\s+/)

const VERBS_BY_CLASS: Readonly<Record<VerbClass, readonly string[]>> = {
  /** Means by itself that the tool reads. */
  read: words(`
    analyse analyze autocomplete browse calculate check compare compute count describe detect diagnose diff discover
    enumerate estimate examine explain explore fetch find geocode get grep has identify inquire inspect is list locate
    lookup measure observe peek query read recommend retrieve search show suggest summarise summarize tail view wait
    whoami
  `),
  /** Computes something from its input. A read if a description opens with it; in a name alone it is not enough. */
  work_out: words(`
    aggregate assess classify convert correlate decode derive determine encode forecast interpret lint parse predict rank
    recognise recognize translate visualise visualize
  `),
  /** Makes a result that may be stored or shown somewhere. A read if the description says that the result is returned. */
  derive: words(`
    audit crawl display download enrich extract gather generate look monitor preview scan scrape simulate trace
    transcribe validate verify
  `),
  /** Can mean a read or an action: never a read by itself. */
  soft_read: words(`
    access answer benchmark capture collect debug echo filter format give guide help load map match obtain offer
    ping poll present print profile provide pull recall render report respond return review snapshot sort test think
    track watch
  `),
  write: words(`
    accept ack acknowledge activate add adjust allocate allow alter amend annotate announce append apply approve
    archive assign associate attach authorise authorize backup ban bill bind block book broadcast build buy change
    charge checkout click clone close comment commit complete compose configure confirm connect contact copy cordon
    create customise customize deactivate debit declare decline deduct demote deny deploy detach disable disassociate disconnect
    disburse dismiss dispatch dispense donate downgrade draft drag duplicate edit email embed enable enqueue enrol enroll escalate exempt expire expose fill finalise
    finalize finish fix flag follow fork forward grant hide hold import increment ingest init initialise
    inform initialize inject insert install invoice invite join label launch leave like link lock make mark merge message migrate mint
    modify mount move mute notify onboard order organise organize paste patch pause pay pin place post prepend
    press prioritise prioritize promote protect provision publish purchase push put quarantine queue rate
    reassign rebalance rebase reboot rebuild record redeem redeploy redo refund regenerate register reindex reject release
    remediate rename reopen reorder reorganise reorganize reply reprioritise reprioritize reprocess republish
    rerun rescale reschedule reserve resize restart restore resume retry retweet revert rollback rotate save
    scale schedule score seed sell send set setup share ship sign snooze spawn split stage stake star start stop store
    submit subscribe suspend swap swipe sync synchronise synchronize tag tap tether toggle train transfer
    trigger tune turn tweet type unarchive unassign unban unblock undelete undo unfollow unhide unlock unmerge
    unmute unpause unpin unprotect unpublish unresolve unshare unstake unstar unsubscribe untag update upgrade
    upload upsert vote withdraw write
  `),
  /** Does something unspecified. */
  soft_write: words(`
    act ask assume authenticate automate call chat control delegate do drive enforce eval evaluate exec execute
    export go handle interact invoke login logout manage navigate open operate optimise optimize orchestrate
    perform play process prompt refresh renew request resolve run select switch synthesise synthesize transform warm
  `),
  destructive: words(`
    abort cancel clean cleanup clear decommission del delete deprovision deregister destroy discard drop empty
    erase evict expunge flush kill nuke obliterate overwrite prune purge remove replace reset revoke rm shred
    shutdown terminate trash truncate undeploy uninstall unregister unset vacuum void wipe zap
  `),
}

/** INVARIANT: no verb is in two classes (test in lexicon.test.ts). */
export const VERBS: ReadonlyMap<string, VerbClass> = new Map(
  Object.entries(VERBS_BY_CLASS).flatMap(([kind, list]) => list.map((verb) => [verb, kind as VerbClass] as const)),
)
export const VERB_LISTS = VERBS_BY_CLASS

/** Verbs that are just as often nouns: in a name they count as the action only in first or last position. */
export const NOUNISH: ReadonlySet<string> = new Set(
  words(`
    access act answer audit backup ban benchmark bill block book build call change charge chat check checkout clean
    clear close comment commit complete compute contact control copy count debug deploy diff dispatch display download draft
    drive drop duplicate email embed empty exec export extract fetch filter fix flag follow forecast fork format
    forward go guide has help hold import invite invoice is join kill label launch like link list load lock look make
    map mark match measure merge message monitor mount move navigate offer open order patch pause pin place play
    poll post present press preview print process profile prompt provision pull purchase push put query queue
    rank rate read record refund register release report request reserve reset resume review rollback run scale scan
    schedule score search select set setup share ship sign snapshot sort split stage stake star start stop store
    submit swap sync tag tail tap test trace track train transfer transform trash trigger tune turn tweet type
    update upgrade upload view void vote wait warm watch write
  `),
)

/** Words that are the action of a name even in positions where other verbs are nouns: `order_list`, `file-write`, `acme_query_rows`. */
export const PLAIN_ACTIONS: ReadonlySet<string> = new Set(
  words('add check create delete get list query read remove search set update upload write'),
)

/** Running, making or doing one of these is a read. */
export const READING_NOUNS: ReadonlySet<string> = new Set(
  words(`
    aggregation analysis assessment audit calculation check checks comparison diagnostics lookup queries query
    retrieval review scan search searches
  `),
)
export const CARRIER_VERBS: ReadonlySet<string> = new Set(
  words('conduct do exec execute invoke make perform process run'),
)

/** A name that ends in one of these describes the result, not the action. */
export const RESULT_NOUNS: ReadonlySet<string> = new Set(
  words(`
    activity advice alternatives analysis analytics answer availability balance catalog changelog comparison
    compatibility contents count data dependencies deps description detail details diagnostics docs documentation
    examples facts feed forecast guidance guide health help hierarchy history info information insights inventory
    leaderboard list listing log logs maintainers me metadata metrics news overview popularity pricing profile
    quality quota readme recommendation recommendations recommender references report result results samples schema
    schemas score screenshot search size standings state statistics stats status structure suggestions summary time
    timeline topology traces tree trend trends types usage version versions vulnerabilities whoami
  `),
)

/** `get_delete_permissions`, `list_reset_requests`: nouns that can follow an action verb in the name of a read. */
export const ABOUT_NOUNS: ReadonlySet<string> = new Set(
  words(`
    attempts candidates date events jobs limit limits marker markers operations options permission permissions plan plans
    policy protection rate rates reason reasons request requests rights rule rules schedule schedules settings window
  `),
)

/** Texts that can be checked on their own: validating one is a read. A ticket or a coupon is used up by validating it. */
export const CHECKED_TEXTS: ReadonlySet<string> = new Set(
  words(`
    address addresses cel checksum code config configuration cron csv document documents domain email emails expression file files
    formula html iban input inputs json manifest markdown number numbers path policy queries query regex schema signature spec
    specification sql syntax template templates url urls xml yaml
  `),
)

/** Generating one of these only returns a text. */
export const ARTIFACTS: ReadonlySet<string> = new Set(
  words('chart code deeplink diagram example examples regex snippet sql summary test tests text uuid uuids'),
)

/** Of these, the ones that are pure data: a name or a sentence that ends in one says what is read. */
export const DATA_NOUNS: ReadonlySet<string> = new Set(
  words(`
    availability balance contents data details docs documentation hierarchy history info information inventory metadata
    metrics overview pricing quota readme schema schemas screenshot standings statistics stats status structure summary
    topology tree trends usage version versions vulnerabilities weather whoami
  `),
)

/** Verbs of languages written without spaces, found by substring. The riskiest match is the action. */
export const UNSPACED_VERBS: readonly (readonly [VerbClass, readonly string[]])[] = [
  ['destructive', words('删除 刪除 移除 清空 を削除 삭제 제거')],
  [
    'write',
    words(`
      创建 創建 新建 新增 添加 更新 修改 编辑 发送 發送 发布 上传 写入 保存 设置 を作成 を追加 を変更 を登録 を送信 を設定
      생성 추가 수정 전송
    `),
  ],
  [
    'read',
    words(
      '查询 查詢 搜索 搜尋 获取 獲取 检索 查看 列出 查找 计算 を取得 を検索 を表示 を返 を計算 一覧 조회 검색 가져 계산',
    ),
  ],
]

/** Of the verbs that say nothing specific, the ones that carry something out. */
export const CARRYING_OUT: ReadonlySet<string> = new Set(
  words(`
    act automate call control delegate do drive enforce eval evaluate exec execute interact invoke operate orchestrate
    perform play process run switch
  `),
)

/** Verbs that send something to people or other systems. */
export const EGRESS_VERBS: ReadonlySet<string> = new Set(
  words(`
    announce broadcast buy charge comment contact deploy dispatch email forward inform invite message notify order pay post publish
    purchase push refund release reply retweet sell send share submit transfer tweet upload withdraw
  `),
)

/** Nouns for things other people read: writing one reaches somebody. */
export const EGRESS_NOUNS: ReadonlySet<string> = new Set(
  words(`
    announcement comment comments email emails invitation invitations invite invites mail message messages
    notification notifications payment payments payout post reply sms transaction transfer tweet webhook webhooks
  `),
)

/** Writing one of these changes permissions. */
export const AUTHORITY_NOUNS: ReadonlySet<string> = new Set(
  words(`
    acl admin admins certificate certificates collaborator collaborators credential credentials firewall iam member
    members membership mfa owner passphrase password passwords permission permissions policies policy privilege privileges rbac
    role roles secret secrets sudo superuser token tokens
  `),
)
export const AUTHORITY_VERBS: ReadonlySet<string> = new Set(
  words('authorise authorize demote exempt grant impersonate promote revoke sudo'),
)
/** Reading the value of one of these is privileged. */
export const SECRET_NOUNS: ReadonlySet<string> = new Set(
  words('credential credentials password passwords passphrase secret secrets'),
)

/** Arguments that carry a program: the tool does whatever the caller writes. */
export const CODE_NOUNS: ReadonlySet<string> = new Set(
  words('bash cmd code command commands cypher ddl dml javascript js powershell python script shell sql ssh statement'),
)
/** Of these, the ones that act on the machine and not only on a database. */
export const SHELL_NOUNS: ReadonlySet<string> = new Set(
  words('bash cmd command commands powershell shell ssh sudo terminal'),
)

/** Parameters that choose what the tool does. */
export const ACTION_PARAMS: ReadonlySet<string> = new Set(
  words('action actions command http_method method mode op operation operations request_method subcommand verb'),
)
export const WRITE_PARAMS: ReadonlySet<string> = new Set(
  words(`
    attachments autoconfirm body commit_message confirm confirmed content contents create_if_missing dry_run dryrun
    force idempotency_key new_content new_name new_path new_title new_value overwrite patch payload recipients
    replace request_body send_notifications update updates upsert validate_only
  `),
)
export const READ_PARAMS: ReadonlySet<string> = new Set(
  words(`
    after before cursor end_date end_time from_date include include_fields keyword keywords limit max_results
    next_token offset order_by page page_number page_size page_token per_page projection q query search search_term
    since skip sort sort_by sort_order start_date start_time to_date top_k until
  `),
)
export const RECIPIENT_PARAMS: ReadonlySet<string> = new Set(
  words(`
    attendees bcc cc email_to invitees participants phone phone_number recipient recipients to to_email webhook
    webhook_url
  `),
)
