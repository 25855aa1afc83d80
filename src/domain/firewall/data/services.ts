import type { FilterImplementation } from '../live-state';

// Service names of a Debian services file (its first column; the hypervisor refuses aliases) with port and protocols:
// t = tcp, u = udp, s = sctp.
const TEXT = `tcpmux=1t echo=7tu discard=9tu systat=11t daytime=13tu netstat=15t qotd=17t chargen=19tu ftp-data=20t ftp=21t
  fsp=21u ssh=22t telnet=23t smtp=25t time=37tu whois=43t tacacs=49tu domain=53tu bootps=67u bootpc=68u tftp=69u
  gopher=70t finger=79t http=80t kerberos=88tu iso-tsap=102t acr-nema=104t pop3=110t sunrpc=111tu auth=113t
  nntp=119t ntp=123u epmap=135t netbios-ns=137u netbios-dgm=138u netbios-ssn=139t imap2=143t snmp=161tu
  snmp-trap=162tu cmip-man=163tu cmip-agent=164tu mailq=174t xdmcp=177u bgp=179t smux=199t qmtp=209t z3950=210t
  ipx=213u ptp-event=319u ptp-general=320u pawserv=345t zserv=346t rpc2portmap=369tu codaauth2=370tu
  clearcase=371u ldap=389tu svrloc=427tu https=443tu snpp=444t microsoft-ds=445t kpasswd=464tu submissions=465t
  saft=487t isakmp=500u rtsp=554tu nqs=607t asf-rmcp=623u qmqp=628t ipp=631t ldp=646tu exec=512t biff=512u
  login=513t who=513u shell=514t syslog=514u printer=515t talk=517u ntalk=518u route=520u gdomap=538tu uucp=540t
  klogin=543t kshell=544t dhcpv6-client=546u dhcpv6-server=547u afpovertcp=548t nntps=563t submission=587t
  ldaps=636tu tinc=655tu silc=706t kerberos-adm=749t domain-s=853tu rsync=873t ftps-data=989t ftps=990t
  telnets=992t imaps=993t pop3s=995t socks=1080t proofd=1093t rootd=1094t openvpn=1194tu rmiregistry=1099t
  lotusnote=1352t ms-sql-s=1433t ms-sql-m=1434u ingreslock=1524t datametrics=1645tu sa-msg-port=1646tu
  kermit=1649t groupwise=1677t l2f=1701u radius=1812tu radius-acct=1813tu cisco-sccp=2000t nfs=2049tu
  gnunet=2086tu rtcm-sc104=2101tu gsigatekeeper=2119t gris=2135t cvspserver=2401t venus=2430tu venus-se=2431tu
  codasrv=2432tu codasrv-se=2433tu mon=2583tu dict=2628t f5-globalsite=2792t gsiftp=2811t gpsd=2947t gds-db=3050t
  icpv2=3130u isns=3205tu iscsi-target=3260t mysql=3306t ms-wbt-server=3389t nut=3493tu distcc=3632t daap=3689t
  svn=3690t suucp=4031t sysrqd=4094t sieve=4190t epmd=4369t remctl=4373t f5-iquery=4353t ntske=4460t
  ipsec-nat-t=4500u iax=4569u mtn=4691t radmin-port=4899t sip=5060tu sip-tls=5061tu xmpp-client=5222t
  xmpp-server=5269t cfengine=5308t mdns=5353u postgresql=5432t freeciv=5556t amqps=5671t amqp=5672st x11=6000t
  x11-1=6001t x11-2=6002t x11-3=6003t x11-4=6004t x11-5=6005t x11-6=6006t x11-7=6007t gnutella-svc=6346tu
  gnutella-rtr=6347tu redis=6379t sge-qmaster=6444t sge-execd=6445t mysql-proxy=6446t babel=6696u ircs-u=6697t
  bbs=7000t afs3-fileserver=7000u afs3-callback=7001u afs3-prserver=7002u afs3-vlserver=7003u afs3-kaserver=7004u
  afs3-volser=7005u afs3-bos=7007u afs3-update=7008u afs3-rmtsys=7009u font-service=7100t http-alt=8080t
  puppet=8140t bacula-dir=9101t bacula-fd=9102t bacula-sd=9103t xmms2=9667t nbd=10809t zabbix-agent=10050t
  zabbix-trapper=10051t amanda=10080t dicom=11112t hkp=11371t db-lsp=17500t dcap=22125t gsidcap=22128t wnn6=22273t
  kerberos4=750tu kerberos-master=751tu passwd-server=752u krb-prop=754t zephyr-srv=2102u zephyr-clt=2103u
  zephyr-hm=2104u iprop=2121t supfilesrv=871t supfiledbg=1127t poppassd=106t moira-db=775t moira-update=777t
  moira-ureg=779u spamd=783t skkserv=1178t predict=1210u rmtcfg=1236t xtel=1313t xtelw=1314t zebrasrv=2600t
  zebra=2601t ripd=2602t ripngd=2603t ospfd=2604t bgpd=2605t ospf6d=2606t ospfapi=2607t isisd=2608t fax=4557t
  hylafax=4559t munin=4949t rplay=5555u nrpe=5666t nsca=5667t canna=5680t syslog-tls=6514t sane-port=6566t
  ircd=6667t zope-ftp=8021t tproxy=8081t omniorb=8088t clc-build-daemon=8990t xinetd=9098t git=9418t zope=9673t
  webmin=10000t kamanda=10081t amandaidx=10082t amidxtape=10083t sgi-cmsd=17001u sgi-crsd=17002u sgi-gcd=17003u
  sgi-cad=17004t binkp=24554t asp=27374tu csync2=30865t dircproxy=57000t tfido=60177t fido=60179t`;

type Service = { readonly port: number; readonly protocols: string };

const SERVICES: ReadonlyMap<string, Service> = new Map(
  TEXT.split(/\s+/).map((item) => {
    const [, name = '', port, protocols = ''] = /^(.+)=(\d+)([stu]+)$/.exec(item) ?? [];
    return [name, { port: Number(port), protocols }] as const;
  }),
);

/** Names that are in the file with several ports: iptables takes the first one, aliases included, nftables the last one. */
const SEVERAL_PORTS: ReadonlyMap<string, Readonly<Record<FilterImplementation, number>>> = new Map([
  ['dicom', { iptables: 104, nftables: 11_112 }],
  ['echo', { iptables: 7, nftables: 4 }],
]);

/** Port that an implementation takes for a service name, or null for a name that only the node's own services file may have. */
export const servicePort = (name: string, implementation: FilterImplementation): number | null =>
  SEVERAL_PORTS.get(name)?.[implementation] ?? SERVICES.get(name)?.port ?? null;

/** Names that are an alias of another one for the protocol; iptables takes these, too. */
const ALIASES: readonly string[] = ['tcp/syslog'];

/** Whether the services file has the name for the protocol; null for a name that is not in a stock file. */
export const serviceHasProtocol = (name: string, protocol: 'tcp' | 'udp' | 'sctp'): boolean | null =>
  ALIASES.includes(`${protocol}/${name}`) || (SERVICES.get(name)?.protocols.includes(protocol.charAt(0)) ?? null);

const PROTOCOL_OF_LETTER: Readonly<Record<string, string>> = { t: 'tcp', u: 'udp', s: 'sctp' };

/** What a service name means, as `tcp/53` and `udp/53`; nothing for a name that is not in a stock file. */
export function listServicesNamed(name: string): string[] {
  const service = SERVICES.get(name);
  return service ? [...service.protocols].map((letter) => `${PROTOCOL_OF_LETTER[letter]}/${service.port}`) : [];
}

/** All names of services. */
export const listServiceNames = (): string[] => [...SERVICES.keys()];

const NAMES: ReadonlyMap<string, string> = new Map(
  [...SERVICES].reverse().flatMap(([name, { port, protocols }]) => {
    return [...protocols].map((letter) => [`${PROTOCOL_OF_LETTER[letter]}/${port}`, name] as const);
  }),
);

/** The name of a service; null for one that is not in a stock file. */
export const findServiceName = (protocol: string, port: number): string | null =>
  NAMES.get(`${protocol}/${port}`) ?? null;
