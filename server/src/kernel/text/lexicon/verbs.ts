/**
 * Action verbs, in groups that mean the same to a tool: a request to `drop` something and a tool that `deletes` belong together.
 * A verb may be in several groups. The groups follow what tools do (say, publish, make, change, remove, move money, obtain,
 * permit, operate), not the wording of any set of tasks. German and Spanish verbs are infinitives.
 */
export const VERB_GROUPS = [
  {
    group: 'say',
    en: 'send mail email message dispatch forward relay transmit text notify inform tell alert contact ping buzz brief reply respond write answer call reach invite share deliver convey pass submit fax update cc report escalate communicate drop shoot relay',
    de: 'senden schicken mailen weiterleiten benachrichtigen informieren mitteilen antworten schreiben kontaktieren einladen teilen übermitteln melden zusenden verschicken versenden leiten ausrichten geben bringen zukommen zuschicken weitergeben',
    es: 'enviar mandar remitir reenviar notificar informar avisar responder contestar escribir contactar invitar compartir comunicar decir dar entregar pasar llevar',
  },
  {
    group: 'publish',
    en: 'post tweet publish share announce broadcast comment retweet upload blog toot release repost advertise promote mention tag pen',
    de: 'posten veröffentlichen twittern teilen ankündigen kommentieren hochladen bewerben publizieren stellen bekanntgeben',
    es: 'publicar postear tuitear anunciar comentar compartir subir difundir promocionar poner decir',
  },
  {
    group: 'make',
    en: 'create make add draft compose generate open write touch register craft build schedule append insert put save store record log produce plan enter include file raise initiate establish prepare set jot integrate populate note mkdir echo start launch setup whip pen enroll introduce capture document lodge incorporate coordinate orchestrate furnish arrange organize organise',
    de: 'erstellen anlegen erzeugen hinzufügen eintragen schreiben speichern registrieren planen aufnehmen einrichten verfassen ergänzen notieren eröffnen legen stellen machen richten tragen fügen einrichten einstellen',
    es: 'crear hacer añadir agregar redactar generar abrir escribir registrar programar guardar anotar incluir preparar elaborar insertar poner meter dar',
  },
  {
    group: 'change',
    en: 'update change modify edit set adjust alter replace rename move mv copy cp duplicate convert increase decrease raise lower extend shorten reopen mark assign reschedule switch amend correct fix turn tweak upgrade downgrade shift transfer relocate label flag toggle tune configure establish cap reset check sort archive back clone customize revise swap finalize',
    de: 'ändern aktualisieren bearbeiten anpassen ersetzen umbenennen verschieben kopieren erhöhen senken verlängern markieren zuweisen umstellen setzen korrigieren stellen machen tragen nehmen schalten bringen umändern',
    es: 'cambiar actualizar modificar editar ajustar reemplazar sustituir renombrar mover copiar aumentar reducir ampliar marcar asignar corregir configurar poner fijar hacer dejar pasar',
  },
  {
    group: 'remove',
    en: 'delete remove erase wipe clear discard drop purge trash scrap cancel revoke rescind retract nix undo unsubscribe destroy rm rmdir void withdraw abort terminate strip detach kick ban expel uninstall reject decline dismiss recall reverse annul quit',
    de: 'löschen entfernen stornieren absagen kündigen widerrufen vernichten leeren verwerfen tilgen abbrechen ausschließen werfen wegwerfen schmeißen räumen aufräumen beseitigen streichen zurücknehmen zurückziehen abbestellen ziehen nehmen',
    es: 'borrar eliminar quitar cancelar anular revocar suprimir vaciar descartar retirar expulsar desechar tirar echar deshacer sacar desaparecer dar',
  },
  {
    group: 'pay',
    en: 'pay transfer wire remit fund deposit refund withdraw send buy purchase sell charge donate settle reimburse spend invest subscribe tip credit debit infuse inject allocate replenish bill repay compensate move cover contribute cash',
    de: 'zahlen bezahlen überweisen einzahlen abheben erstatten kaufen verkaufen spenden investieren abbuchen begleichen transferieren senden heben ziehen buchen',
    es: 'pagar transferir abonar ingresar reembolsar retirar comprar vender donar invertir cobrar depositar girar enviar hacer dar pasar devolver',
  },
  {
    group: 'obtain',
    en: 'buy purchase order acquire book reserve secure procure rent hire request obtain subscribe arrange place lock execute trade snag grab get pick',
    de: 'kaufen bestellen buchen reservieren mieten beantragen besorgen erwerben holen nehmen',
    es: 'comprar pedir reservar adquirir alquilar contratar solicitar obtener conseguir hacer traer',
  },
  {
    group: 'permit',
    en: 'grant allow permit give share assign promote invite add approve authorize authorise enable unlock admit accept confirm verify authenticate login sign log elevate change reset open entitle whitelist trust',
    de: 'gewähren erlauben freigeben genehmigen autorisieren einladen hinzufügen ändern bestätigen zulassen anmelden entsperren berechtigen geben schalten freischalten lassen einräumen laden',
    es: 'conceder permitir dar aprobar autorizar invitar habilitar cambiar aceptar confirmar desbloquear otorgar dar dejar',
  },
  {
    group: 'operate',
    en: 'run execute start launch restart deploy install trigger activate enable unlock press engage fill turn reboot build schedule initiate ignite fire top refill refuel drive navigate set switch boot connect open apply resume play power crank release',
    de: 'ausführen starten installieren aktivieren entsperren füllen tanken einschalten neustarten auslösen öffnen betätigen navigieren werfen anwerfen führen schalten anstoßen laden hochfahren lassen',
    es: 'ejecutar iniciar arrancar instalar activar desbloquear llenar encender reiniciar abrir navegar poner echar hacer lanzar',
  },
  {
    group: 'end',
    en: 'stop shut close end finish conclude complete kill terminate disable deactivate lock mute pause disconnect resolve secure halt suspend block seal check settle',
    de: 'stoppen beenden schließen abschließen deaktivieren sperren verriegeln ausschalten anhalten lösen erledigen trennen machen zumachen schalten legen stellen',
    es: 'detener parar cerrar terminar finalizar desactivar bloquear apagar resolver pausar suspender desconectar dar dejar',
  },
  {
    group: 'fetch',
    en: 'visit open browse fetch download click follow load navigate go access view read check look see retrieve get show list search find display consult query lookup examine inspect review scan pull compile present summarize summarise calculate provide',
    de: 'besuchen öffnen abrufen herunterladen klicken folgen laden aufrufen ansehen lesen prüfen suchen anzeigen finden holen laden',
    es: 'visitar abrir descargar seguir cargar acceder ver leer consultar buscar mostrar revisar encontrar obtener',
  },
] as const

export type VerbGroup = (typeof VERB_GROUPS)[number]['group']

/**
 * English words that are nouns as often as verbs: at the start of a line they are a request only if the start of an object
 * follows.
 */
export const NOUN_LIKE =
  'mail email message text call share report note comment post tweet order book transfer wire fund deposit refund credit debit charge bill tip cover cash update change copy file log record plan start launch set switch stop lock press release fire top power run build play drive pause open close back cap tag mention view check look review scan search list pass drop trade place request purchase trust access visit answer reply alert contact label flag mark fix clone complete clear void recall read show find query document draft touch ban tune load click display sort echo secure upload download sign pen schedule shoot brief'

/** Irregular past tenses and participles. */
export const IRREGULAR: Readonly<Record<string, string>> = {
  send: 'sent',
  tell: 'told',
  write: 'wrote written',
  make: 'made',
  build: 'built',
  buy: 'bought',
  pay: 'paid',
  sell: 'sold',
  spend: 'spent',
  give: 'gave given',
  get: 'got gotten',
  put: 'put',
  set: 'set',
  cut: 'cut',
  run: 'ran',
  shut: 'shut',
  go: 'went gone',
  see: 'saw seen',
  read: 'read',
  find: 'found',
  show: 'shown',
  withdraw: 'withdrew withdrawn',
  undo: 'undid undone',
  drive: 'drove driven',
  reset: 'reset',
  shoot: 'shot',
  quit: 'quit',
}

/**
 * Irregular imperatives of German and Spanish verbs. Forms that are common words of another language are left out: `da`, `di`,
 * `ten`.
 */
export const IRREGULAR_ORDERS: Readonly<Record<string, string>> = {
  geben: 'gib gibt gebt',
  nehmen: 'nimm nehmt',
  werfen: 'wirf werft',
  lesen: 'lies',
  lassen: 'lass lasst',
  streichen: 'streich',
  hacer: 'haz haga hagan hazlo hazla hazle hazles hazme haznos',
  poner: 'pon ponga pongan ponlo ponla ponle ponles ponme',
  dar: 'dale dales dame danos dele deles dad denle darle darles dadle',
  decir: 'dile diles diga digan digale decirle decidle',
  deshacer: 'deshaz deshazte deshagase deshagan',
  desaparecer: 'desaparezca desaparezcan',
  mover: 'mueve mueva muevelo muevela',
  cerrar: 'cierra cierre cierralo cierrala',
  mostrar: 'muestra muestre muestrame',
  encontrar: 'encuentra encuentre',
  conseguir: 'consigue consiga',
  invertir: 'invierte invierta',
  sustituir: 'sustituye sustituya',
  obtener: 'obten obtenga',
  detener: 'deten detenga detenlo',
  pedir: 'pida pidele',
  encender: 'enciende encienda enciendelo',
  devolver: 'devuelve devuelva devuelvele',
  resolver: 'resuelve resuelva resuelvelo',
  traer: 'trae traiga traeme',
  reenviar: 'reenvialo reenviala',
  pagar: 'pagales pagale',
}
