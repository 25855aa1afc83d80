// Ports that the common service names have on every node. Other names depend on the node's own services file.
const PORTS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    'ftp-data': 20,
    ftp: 21,
    ssh: 22,
    telnet: 23,
    smtp: 25,
    domain: 53,
    bootps: 67,
    bootpc: 68,
    tftp: 69,
    http: 80,
    kerberos: 88,
    pop3: 110,
    sunrpc: 111,
    ntp: 123,
    'netbios-ns': 137,
    'netbios-dgm': 138,
    'netbios-ssn': 139,
    imap2: 143,
    snmp: 161,
    bgp: 179,
    ldap: 389,
    https: 443,
    'microsoft-ds': 445,
    submission: 587,
    ldaps: 636,
    imaps: 993,
    pop3s: 995,
    'ms-sql-s': 1433,
    mysql: 3306,
    postgresql: 5432,
    redis: 6379,
  }),
);

/** Port of a service name, or null when it may differ from node to node. */
export const servicePort = (name: string): number | null => PORTS.get(name) ?? null;
