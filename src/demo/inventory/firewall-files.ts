/** Datacenter file of the Frankfurt cluster: on, with the groups its guests use. */
export const FRANKFURT_CLUSTER_FW = `[OPTIONS]

enable: 1

[ALIASES]

bastion 10.40.60.11
metrics 10.40.50.20
office-munich 10.50.10.0/24

[IPSET management] # administrators

10.40.60.0/24
10.50.10.0/24

[RULES]

IN ACCEPT -source +dc/management -p tcp -dport 8006 -log nolog # web interface
GROUP ssh-admin
|IN ACCEPT -p tcp -dport 5900:5999 -log nolog # consoles, during the move
FORWARD DROP -p tcp -dport 25 -log nolog # no mail through the nodes

[group monitoring]

IN ACCEPT -source dc/metrics -p tcp -dport 9100 -log nolog # node exporter
IN Ping(ACCEPT) -log nolog

[group public-web] # from everywhere

IN ACCEPT -p tcp -dport 80,443 -log nolog

[group ssh-admin]

IN ACCEPT -source dc/bastion -p tcp -dport 22 -log nolog # only through the bastion

`;

/** File of the first node in Frankfurt: its exporter may be read. */
export const MONITORED_NODE_FW = `[RULES]

IN ACCEPT -source dc/metrics -p tcp -dport 9100 -log nolog # node exporter

`;

/** File of the newest node in Frankfurt, on which nftables is tried. */
export const NFTABLES_NODE_FW = `[OPTIONS]

nftables: 1

${MONITORED_NODE_FW}`;

/** File of a VNet: no Telnet between its workloads. */
export const NO_TELNET_VNET_FW = `[OPTIONS]

enable: 1

[RULES]

FORWARD DROP -p tcp -dport 23 -log nolog # no Telnet

`;

/** Datacenter file of the Munich cluster: on, and nothing in it yet. */
export const MUNICH_CLUSTER_FW = `[OPTIONS]

enable: 1

[RULES]

IN ACCEPT -source 10.50.20.0/24 -p tcp -dport 8006 -log nolog # web interface

`;

/** A guest that lets in only what the lines say, and logs what it refuses. */
const buildClosedFirewall = (...lines: string[]): string =>
  `[OPTIONS]\n\nenable: 1\npolicy_in: DROP\nlog_level_in: info\n\n[RULES]\n\n${lines.join('\n')}\nGROUP monitoring\nGROUP ssh-admin\n\n`;

export const LOAD_BALANCER_FW = buildClosedFirewall('GROUP public-web');
export const MAIL_GATEWAY_FW = buildClosedFirewall(
  'IN ACCEPT -p tcp -dport 25 -log nolog',
  'IN ACCEPT -p tcp -dport 465,587 -log nolog',
);
export const VPN_FW = buildClosedFirewall('IN ACCEPT -p udp -dport 51820 -log nolog # WireGuard');
export const POSTGRES_FW = buildClosedFirewall(
  'IN ACCEPT -source 10.40.30.0/24 -p tcp -dport 5432 -log nolog # application servers',
  'IN ACCEPT -source 10.40.40.0/24 -p tcp -dport 5432 -log nolog # replication',
);
export const REDIS_FW = buildClosedFirewall('IN ACCEPT -source 10.40.30.0/24 -p tcp -dport 6379 -log nolog');
export const BASTION_FW = buildClosedFirewall('IN ACCEPT -source 10.50.10.0/24 -p tcp -dport 22 -log nolog # office');
/** The hole: opened for a migration and never closed. */
export const ERP_DATABASE_FW = buildClosedFirewall(
  'IN ACCEPT -source 10.40.90.0/24 -p tcp -dport 3306 -log nolog # ERP application',
  'IN ACCEPT -p tcp -dport 3306 -log info # TEMP for the migration, remove afterwards',
);
