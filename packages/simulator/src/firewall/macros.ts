/** What a macro expands to, one entry per rule; the action and the other parameters come from the rule that uses it. */
export type MacroRule = { proto?: string; dport?: string; sport?: string };
export type Macro = { descr: string; rules: readonly MacroRule[] };

/** Built-in macros by canonical name. */
export const FIREWALL_MACROS: Record<string, Macro> = {
  Amanda: {
    descr: 'Amanda Backup',
    rules: [
      { dport: '10080', proto: 'udp' },
      { dport: '10080', proto: 'tcp' },
    ],
  },
  Auth: { descr: 'Auth (identd) traffic', rules: [{ dport: '113', proto: 'tcp' }] },
  BGP: { descr: 'Border Gateway Protocol traffic', rules: [{ dport: '179', proto: 'tcp' }] },
  BitTorrent: {
    descr: 'BitTorrent traffic for BitTorrent 3.1 and earlier',
    rules: [
      { dport: '6881:6889', proto: 'tcp' },
      { dport: '6881', proto: 'udp' },
    ],
  },
  BitTorrent32: {
    descr: 'BitTorrent traffic for BitTorrent 3.2 and later',
    rules: [
      { dport: '6881:6999', proto: 'tcp' },
      { dport: '6881', proto: 'udp' },
    ],
  },
  CVS: { descr: 'Concurrent Versions System pserver traffic', rules: [{ dport: '2401', proto: 'tcp' }] },
  Ceph: {
    descr: 'Ceph Storage Cluster traffic (Ceph Monitors, OSD & MDS Daemons)',
    rules: [
      { dport: '6789', proto: 'tcp' },
      { dport: '3300', proto: 'tcp' },
      { dport: '6800:7300', proto: 'tcp' },
    ],
  },
  Citrix: {
    descr: 'Citrix/ICA traffic (ICA, ICA Browser, CGP)',
    rules: [
      { dport: '1494', proto: 'tcp' },
      { dport: '1604', proto: 'udp' },
      { dport: '2598', proto: 'tcp' },
    ],
  },
  DAAP: {
    descr: 'Digital Audio Access Protocol traffic (iTunes, Rythmbox daemons)',
    rules: [
      { dport: '3689', proto: 'tcp' },
      { dport: '3689', proto: 'udp' },
    ],
  },
  DCC: {
    descr: 'Distributed Checksum Clearinghouse spam filtering mechanism',
    rules: [{ dport: '6277', proto: 'tcp' }],
  },
  DHCPfwd: { descr: 'Forwarded DHCP traffic', rules: [{ dport: '67:68', proto: 'udp', sport: '67:68' }] },
  DHCPv6: { descr: 'DHCPv6 traffic', rules: [{ dport: '546:547', proto: 'udp', sport: '546:547' }] },
  DNS: {
    descr: 'Domain Name System traffic (upd and tcp)',
    rules: [
      { dport: '53', proto: 'udp' },
      { dport: '53', proto: 'tcp' },
    ],
  },
  Distcc: { descr: 'Distributed Compiler service', rules: [{ dport: '3632', proto: 'tcp' }] },
  FTP: { descr: 'File Transfer Protocol', rules: [{ dport: '21', proto: 'tcp' }] },
  Finger: { descr: 'Finger protocol (RFC 742)', rules: [{ dport: '79', proto: 'tcp' }] },
  GNUnet: {
    descr: 'GNUnet secure peer-to-peer networking traffic',
    rules: [
      { dport: '2086', proto: 'tcp' },
      { dport: '2086', proto: 'udp' },
      { dport: '1080', proto: 'tcp' },
      { dport: '1080', proto: 'udp' },
    ],
  },
  GRE: { descr: 'Generic Routing Encapsulation tunneling protocol', rules: [{ proto: '47' }] },
  Git: { descr: 'Git distributed revision control traffic', rules: [{ dport: '9418', proto: 'tcp' }] },
  HKP: { descr: 'OpenPGP HTTP key server protocol traffic', rules: [{ dport: '11371', proto: 'tcp' }] },
  HTTP: { descr: 'Hypertext Transfer Protocol (WWW)', rules: [{ dport: '80', proto: 'tcp' }] },
  HTTPS: { descr: 'Hypertext Transfer Protocol (WWW) over SSL', rules: [{ dport: '443', proto: 'tcp' }] },
  ICPV2: { descr: 'Internet Cache Protocol V2 (Squid) traffic', rules: [{ dport: '3130', proto: 'udp' }] },
  ICQ: { descr: 'AOL Instant Messenger traffic', rules: [{ dport: '5190', proto: 'tcp' }] },
  IMAP: { descr: 'Internet Message Access Protocol', rules: [{ dport: '143', proto: 'tcp' }] },
  IMAPS: { descr: 'Internet Message Access Protocol over SSL', rules: [{ dport: '993', proto: 'tcp' }] },
  IPIP: { descr: 'IPIP capsulation traffic', rules: [{ proto: '94' }] },
  IPsec: { descr: 'IPsec traffic', rules: [{ dport: '500', proto: 'udp', sport: '500' }, { proto: '50' }] },
  IPsecah: {
    descr: 'IPsec authentication (AH) traffic',
    rules: [{ dport: '500', proto: 'udp', sport: '500' }, { proto: '51' }],
  },
  IPsecnat: {
    descr: 'IPsec traffic and Nat-Traversal',
    rules: [{ dport: '500', proto: 'udp' }, { dport: '4500', proto: 'udp' }, { proto: '50' }],
  },
  IRC: { descr: 'Internet Relay Chat traffic', rules: [{ dport: '6667', proto: 'tcp' }] },
  Jetdirect: { descr: 'HP Jetdirect printing', rules: [{ dport: '9100', proto: 'tcp' }] },
  L2TP: { descr: 'Layer 2 Tunneling Protocol traffic', rules: [{ dport: '1701', proto: 'udp' }] },
  LDAP: { descr: 'Lightweight Directory Access Protocol traffic', rules: [{ dport: '389', proto: 'tcp' }] },
  LDAPS: { descr: 'Secure Lightweight Directory Access Protocol traffic', rules: [{ dport: '636', proto: 'tcp' }] },
  MDNS: { descr: 'Multicast DNS', rules: [{ dport: '5353', proto: 'udp' }] },
  MSNP: { descr: 'Microsoft Notification Protocol', rules: [{ dport: '1863', proto: 'tcp' }] },
  MSSQL: { descr: 'Microsoft SQL Server', rules: [{ dport: '1433', proto: 'tcp' }] },
  Mail: {
    descr: 'Mail traffic (SMTP, SMTPS, Submission)',
    rules: [
      { dport: '25', proto: 'tcp' },
      { dport: '465', proto: 'tcp' },
      { dport: '587', proto: 'tcp' },
    ],
  },
  Munin: { descr: 'Munin networked resource monitoring traffic', rules: [{ dport: '4949', proto: 'tcp' }] },
  MySQL: { descr: 'MySQL server', rules: [{ dport: '3306', proto: 'tcp' }] },
  NNTP: { descr: 'NNTP traffic (Usenet).', rules: [{ dport: '119', proto: 'tcp' }] },
  NNTPS: { descr: 'Encrypted NNTP traffic (Usenet)', rules: [{ dport: '563', proto: 'tcp' }] },
  NTP: { descr: 'Network Time Protocol (ntpd)', rules: [{ dport: '123', proto: 'udp' }] },
  NeighborDiscovery: {
    descr: 'IPv6 neighbor solicitation, neighbor and router advertisement',
    rules: [
      { dport: 'router-solicitation', proto: 'icmpv6' },
      { dport: 'router-advertisement', proto: 'icmpv6' },
      { dport: 'neighbor-solicitation', proto: 'icmpv6' },
      { dport: 'neighbor-advertisement', proto: 'icmpv6' },
    ],
  },
  OSPF: { descr: 'OSPF multicast traffic', rules: [{ proto: '89' }] },
  OpenVPN: { descr: 'OpenVPN traffic', rules: [{ dport: '1194', proto: 'udp' }] },
  PCA: {
    descr: 'Symantec PCAnywere (tm)',
    rules: [
      { dport: '5632', proto: 'udp' },
      { dport: '5631', proto: 'tcp' },
    ],
  },
  PMG: { descr: 'Proxmox Mail Gateway web interface', rules: [{ dport: '8006', proto: 'tcp' }] },
  POP3: { descr: 'POP3 traffic', rules: [{ dport: '110', proto: 'tcp' }] },
  POP3S: { descr: 'Encrypted POP3 traffic', rules: [{ dport: '995', proto: 'tcp' }] },
  PPtP: { descr: 'Point-to-Point Tunneling Protocol', rules: [{ proto: '47' }, { dport: '1723', proto: 'tcp' }] },
  Ping: { descr: 'ICMP echo request', rules: [{ dport: 'echo-request', proto: 'icmp' }] },
  PostgreSQL: { descr: 'PostgreSQL server', rules: [{ dport: '5432', proto: 'tcp' }] },
  Printer: { descr: 'Line Printer protocol printing', rules: [{ dport: '515', proto: 'tcp' }] },
  RDP: { descr: 'Microsoft Remote Desktop Protocol traffic', rules: [{ dport: '3389', proto: 'tcp' }] },
  RIP: { descr: 'Routing Information Protocol (bidirectional)', rules: [{ dport: '520', proto: 'udp' }] },
  RNDC: { descr: 'BIND remote management protocol', rules: [{ dport: '953', proto: 'tcp' }] },
  Razor: { descr: 'Razor Antispam System', rules: [{ dport: '2703', proto: 'tcp' }] },
  Rdate: { descr: 'Remote time retrieval (rdate)', rules: [{ dport: '37', proto: 'tcp' }] },
  Rsync: { descr: 'Rsync server', rules: [{ dport: '873', proto: 'tcp' }] },
  SANE: { descr: 'SANE network scanning', rules: [{ dport: '6566', proto: 'tcp' }] },
  SMB: {
    descr: 'Microsoft SMB traffic',
    rules: [
      { dport: '135,445', proto: 'udp' },
      { dport: '137:139', proto: 'udp' },
      { dport: '1024:65535', proto: 'udp', sport: '137' },
      { dport: '135,139,445', proto: 'tcp' },
    ],
  },
  SMBswat: { descr: 'Samba Web Administration Tool', rules: [{ dport: '901', proto: 'tcp' }] },
  SMTP: { descr: 'Simple Mail Transfer Protocol', rules: [{ dport: '25', proto: 'tcp' }] },
  SMTPS: { descr: 'Encrypted Simple Mail Transfer Protocol', rules: [{ dport: '465', proto: 'tcp' }] },
  SNMP: {
    descr: 'Simple Network Management Protocol',
    rules: [
      { dport: '161:162', proto: 'udp' },
      { dport: '161', proto: 'tcp' },
    ],
  },
  SPAMD: { descr: 'Spam Assassin SPAMD traffic', rules: [{ dport: '783', proto: 'tcp' }] },
  SPICEproxy: { descr: 'Proxmox VE SPICE display proxy traffic', rules: [{ dport: '3128', proto: 'tcp' }] },
  SSH: { descr: 'Secure shell traffic', rules: [{ dport: '22', proto: 'tcp' }] },
  SVN: { descr: 'Subversion server (svnserve)', rules: [{ dport: '3690', proto: 'tcp' }] },
  SixXS: {
    descr: 'SixXS IPv6 Deployment and Tunnel Broker',
    rules: [
      { dport: '3874', proto: 'tcp' },
      { dport: '3740', proto: 'udp' },
      { proto: '41' },
      { dport: '5072,8374', proto: 'udp' },
    ],
  },
  Squid: { descr: 'Squid web proxy traffic', rules: [{ dport: '3128', proto: 'tcp' }] },
  Submission: { descr: 'Mail message submission traffic', rules: [{ dport: '587', proto: 'tcp' }] },
  Syslog: {
    descr: 'Syslog protocol (RFC 5424) traffic',
    rules: [
      { dport: '514', proto: 'udp' },
      { dport: '514', proto: 'tcp' },
    ],
  },
  TFTP: { descr: 'Trivial File Transfer Protocol traffic', rules: [{ dport: '69', proto: 'udp' }] },
  Telnet: { descr: 'Telnet traffic', rules: [{ dport: '23', proto: 'tcp' }] },
  Telnets: { descr: 'Telnet over SSL', rules: [{ dport: '992', proto: 'tcp' }] },
  Time: { descr: 'RFC 868 Time protocol', rules: [{ dport: '37', proto: 'tcp' }] },
  Trcrt: {
    descr: 'Traceroute (for up to 30 hops) traffic',
    rules: [
      { dport: '33434:33524', proto: 'udp' },
      { dport: 'echo-request', proto: 'icmp' },
    ],
  },
  VNC: { descr: "VNC traffic for VNC display's 0 - 99", rules: [{ dport: '5900:5999', proto: 'tcp' }] },
  VNCL: { descr: 'VNC traffic from Vncservers to Vncviewers in listen mode', rules: [{ dport: '5500', proto: 'tcp' }] },
  Web: {
    descr: 'WWW traffic (HTTP and HTTPS)',
    rules: [
      { dport: '80', proto: 'tcp' },
      { dport: '443', proto: 'tcp' },
    ],
  },
  Webcache: { descr: 'Web Cache/Proxy traffic (port 8080)', rules: [{ dport: '8080', proto: 'tcp' }] },
  Webmin: { descr: 'Webmin traffic', rules: [{ dport: '10000', proto: 'tcp' }] },
  Whois: { descr: 'Whois (nicname, RFC 3912) traffic', rules: [{ dport: '43', proto: 'tcp' }] },
};

const BY_LOWER_CASE = new Map(Object.keys(FIREWALL_MACROS).map((name) => [name.toLowerCase(), name]));

/** Canonical spelling of a macro name, or undefined when there is no such macro. */
export const canonicalMacro = (name: string): string | undefined => BY_LOWER_CASE.get(name.toLowerCase());

/** Macros of which the old service makes nothing for IPv4. */
export const isIpv6Macro = (name: string): boolean => name === 'DHCPv6' || name === 'NeighborDiscovery';

/** Rules of a macro for one address family: two macros mean ICMPv6 when the traffic is IPv6. */
export function macroRules(name: string, family: 4 | 6 | undefined): readonly MacroRule[] {
  const rules = FIREWALL_MACROS[name]?.rules ?? [];
  if (family !== 6 || (name !== 'Ping' && name !== 'Trcrt')) return rules;
  return rules.map((rule) => (rule.proto === 'icmp' ? { ...rule, proto: 'icmpv6' } : rule));
}
