/** Service names of a Debian node with their port, by the protocols for which its services file has them. */
const SERVICES: Readonly<Record<string, string>> = {
  'sctp+tcp': `
    amqp=5672
  `,
  tcp: `
    tcpmux=1 systat=11 netstat=15 qotd=17 ftp-data=20 ftp=21 ssh=22 telnet=23 smtp=25 whois=43 gopher=70
    finger=79 http=80 iso-tsap=102 acr-nema=104 pop3=110 auth=113 nntp=119 epmap=135 netbios-ssn=139 imap2=143
    mailq=174 bgp=179 smux=199 qmtp=209 z3950=210 pawserv=345 zserv=346 snpp=444 microsoft-ds=445
    submissions=465 saft=487 nqs=607 qmqp=628 ipp=631 exec=512 login=513 shell=514 printer=515 uucp=540
    klogin=543 kshell=544 afpovertcp=548 nntps=563 submission=587 silc=706 kerberos-adm=749 rsync=873
    ftps-data=989 ftps=990 telnets=992 imaps=993 pop3s=995 socks=1080 proofd=1093 rootd=1094 rmiregistry=1099
    lotusnote=1352 ms-sql-s=1433 ingreslock=1524 kermit=1649 groupwise=1677 cisco-sccp=2000 gsigatekeeper=2119
    gris=2135 cvspserver=2401 dict=2628 f5-globalsite=2792 gsiftp=2811 gpsd=2947 gds-db=3050 iscsi-target=3260
    mysql=3306 ms-wbt-server=3389 distcc=3632 daap=3689 svn=3690 suucp=4031 sysrqd=4094 sieve=4190 epmd=4369
    remctl=4373 f5-iquery=4353 ntske=4460 mtn=4691 radmin-port=4899 xmpp-client=5222 xmpp-server=5269
    cfengine=5308 postgresql=5432 freeciv=5556 amqps=5671 x11=6000 x11-1=6001 x11-2=6002 x11-3=6003 x11-4=6004
    x11-5=6005 x11-6=6006 x11-7=6007 redis=6379 sge-qmaster=6444 sge-execd=6445 mysql-proxy=6446 ircs-u=6697
    bbs=7000 font-service=7100 http-alt=8080 puppet=8140 bacula-dir=9101 bacula-fd=9102 bacula-sd=9103
    xmms2=9667 nbd=10809 zabbix-agent=10050 zabbix-trapper=10051 amanda=10080 dicom=11112 hkp=11371 db-lsp=17500
    dcap=22125 gsidcap=22128 wnn6=22273 krb-prop=754 iprop=2121 supfilesrv=871 supfiledbg=1127 poppassd=106
    moira-db=775 moira-update=777 spamd=783 skkserv=1178 rmtcfg=1236 xtel=1313 xtelw=1314 zebrasrv=2600
    zebra=2601 ripd=2602 ripngd=2603 ospfd=2604 bgpd=2605 ospf6d=2606 ospfapi=2607 isisd=2608 fax=4557
    hylafax=4559 munin=4949 nrpe=5666 nsca=5667 canna=5680 syslog-tls=6514 sane-port=6566 ircd=6667
    zope-ftp=8021 tproxy=8081 omniorb=8088 clc-build-daemon=8990 xinetd=9098 git=9418 zope=9673 webmin=10000
    kamanda=10081 amandaidx=10082 amidxtape=10083 sgi-cad=17004 binkp=24554 csync2=30865 dircproxy=57000
    tfido=60177 fido=60179
  `,
  'tcp+udp': `
    echo=7 discard=9 daytime=13 chargen=19 time=37 tacacs=49 domain=53 kerberos=88 sunrpc=111 snmp=161
    snmp-trap=162 cmip-man=163 cmip-agent=164 rpc2portmap=369 codaauth2=370 ldap=389 svrloc=427 https=443
    kpasswd=464 rtsp=554 ldp=646 gdomap=538 ldaps=636 tinc=655 domain-s=853 openvpn=1194 datametrics=1645
    sa-msg-port=1646 radius=1812 radius-acct=1813 nfs=2049 gnunet=2086 rtcm-sc104=2101 venus=2430 venus-se=2431
    codasrv=2432 codasrv-se=2433 mon=2583 isns=3205 nut=3493 sip=5060 sip-tls=5061 gnutella-svc=6346
    gnutella-rtr=6347 kerberos4=750 kerberos-master=751 asp=27374
  `,
  udp: `
    fsp=21 bootps=67 bootpc=68 tftp=69 ntp=123 netbios-ns=137 netbios-dgm=138 xdmcp=177 ipx=213 ptp-event=319
    ptp-general=320 clearcase=371 isakmp=500 asf-rmcp=623 biff=512 who=513 syslog=514 talk=517 ntalk=518
    route=520 dhcpv6-client=546 dhcpv6-server=547 ms-sql-m=1434 l2f=1701 icpv2=3130 ipsec-nat-t=4500 iax=4569
    mdns=5353 babel=6696 afs3-fileserver=7000 afs3-callback=7001 afs3-prserver=7002 afs3-vlserver=7003
    afs3-kaserver=7004 afs3-volser=7005 afs3-bos=7007 afs3-update=7008 afs3-rmtsys=7009 passwd-server=752
    zephyr-srv=2102 zephyr-clt=2103 zephyr-hm=2104 moira-ureg=779 predict=1210 rplay=5555 sgi-cmsd=17001
    sgi-crsd=17002 sgi-gcd=17003
  `,
};

type Service = { readonly port: number; readonly protocols: readonly string[] };

const KNOWN: ReadonlyMap<string, Service> = new Map(
  Object.entries(SERVICES).flatMap(([protocols, text]) =>
    text
      .trim()
      .split(/\s+/)
      .map((pair): [string, Service] => {
        const [name = '', port] = pair.split('=');
        return [name, { port: Number(port), protocols: protocols.split('+') }];
      }),
  ),
);

/** Ports of the first line with the name (or alias) in the services file, and of the last one. */
const REPEATED: Readonly<Record<string, readonly [first: number, last: number]>> = {
  dicom: [104, 11112],
  echo: [7, 4],
};

/** The port behind a service name, whatever the protocol; undefined for an unknown name. @param line that the service takes */
export const servicePort = (name: string, line: 'first' | 'last'): number | undefined =>
  REPEATED[name]?.[line === 'first' ? 0 : 1] ?? KNOWN.get(name)?.port;

/** Whether the services file has the name for this protocol (`tcp`, `udp`, …), which iptables looks up. */
export const serviceHasProtocol = (name: string, protocol: string): boolean =>
  // Its alias there is looked up as well as names are.
  (name === 'syslog' && protocol === 'tcp') || (KNOWN.get(name)?.protocols.includes(protocol) ?? false);
