/** Cluster file of the small lab: firewall on, two groups, a set, two aliases. */
export const CLUSTER_FW = `[OPTIONS]

enable: 1
policy_in: DROP

[ALIASES]

office 203.0.113.0/24 # head office
backup-host 10.20.0.40

[IPSET management] # administrators

10.20.0.0/24
203.0.113.16/28 # VPN

[RULES]

IN ACCEPT -source +dc/management -p tcp -dport 8006 -log nolog # web interface

[group web] # public web servers

IN ACCEPT -p tcp -dport 80,443 -log nolog
IN Ping(ACCEPT) -log nolog

[group ssh-admin]

IN SSH(ACCEPT) -source +dc/management -log nolog # only from the management network

`;

/** A web server's file: its groups, and a disabled rule. */
export const WEB_FW = `[OPTIONS]

enable: 1
policy_in: DROP
log_level_in: info

[RULES]

GROUP web
GROUP ssh-admin -i net0
|IN ACCEPT -p tcp -dport 8080 # old health check

`;

/** The database's file: own set and alias. */
export const DB_FW = `[OPTIONS]

enable: 1

[ALIASES]

replica 10.20.21.12

[IPSET app-servers]

10.60.10.0/24

[RULES]

IN ACCEPT -source +guest/app-servers -p tcp -dport 5432 -log nolog # application
IN ACCEPT -source guest/replica -p tcp -dport 5432
GROUP ssh-admin

`;
