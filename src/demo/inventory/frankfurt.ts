import {
  BASTION_FW,
  ERP_DATABASE_FW,
  FRANKFURT_CLUSTER_FW,
  LOAD_BALANCER_FW,
  MAIL_GATEWAY_FW,
  MONITORED_NODE_FW,
  NFTABLES_NODE_FW,
  NO_TELNET_VNET_FW,
  POSTGRES_FW,
  REDIS_FW,
  VPN_FW,
} from './firewall-files';
import type { DemoGuest, DemoSite } from './site';

const [N1, N2, N3, N4] = ['fra-pve1', 'fra-pve2', 'fra-pve3', 'fra-pve4'] as const;

type Rest = Partial<DemoGuest> & Pick<DemoGuest, 'tags'>;
type Make = (vmid: number, name: string, node: string, host: number, rest: Rest) => DemoGuest;

/** Guests of one network. */
const inNetwork =
  (network: string, prefix: string, pool = 'shop'): Make =>
  (vmid, name, node, host, rest) => ({
    vmid,
    name,
    kind: 'vm',
    node,
    network,
    address: `${prefix}.${host}`,
    pool,
    ...rest,
  });

const edge = inNetwork('edge', '10.40.10');
const web = inNetwork('web', '10.40.20');
const app = inNetwork('app', '10.40.30');
const data = inNetwork('data', '10.40.40');
const infra = inNetwork('infra', '10.40.50', 'platform');
const ops = inNetwork('ops', '10.40.60', 'platform');
const stage = inNetwork('stage', '10.40.70', 'staging');
const legacy = inNetwork('legacy', '10.40.90', 'erp');
const ct = { kind: 'ct' } as const;

const guests: DemoGuest[] = [
  edge(1001, 'lb-01', N1, 11, { tags: ['prod', 'edge'], firewall: LOAD_BALANCER_FW, address6: '2001:db8:40:10::11' }),
  edge(1002, 'lb-02', N2, 12, { tags: ['prod', 'edge'], firewall: LOAD_BALANCER_FW, address6: '2001:db8:40:10::12' }),
  edge(1003, 'vpn-01', N3, 20, { tags: ['prod', 'edge'], firewall: VPN_FW, pool: 'platform' }),
  edge(1004, 'mail-gw-01', N3, 25, {
    ...ct,
    tags: ['prod', 'edge', 'mail'],
    firewall: MAIL_GATEWAY_FW,
    pool: 'platform',
  }),
  web(1101, 'web-01', N1, 11, { tags: ['prod', 'web'], cores: 4, memory: 8 }),
  web(1102, 'web-02', N2, 12, { tags: ['prod', 'web'], cores: 4, memory: 8 }),
  web(1103, 'web-03', N3, 13, { tags: ['prod', 'web'], cores: 4, memory: 8 }),
  web(1104, 'web-04', N1, 14, { tags: ['prod', 'web'], cores: 4, memory: 8 }),
  app(1201, 'api-01', N1, 11, { tags: ['prod', 'app'], cores: 4, memory: 8 }),
  app(1202, 'api-02', N2, 12, { tags: ['prod', 'app'], cores: 4, memory: 8 }),
  app(1203, 'api-03', N3, 13, { tags: ['prod', 'app'], cores: 4, memory: 8 }),
  app(1204, 'worker-01', N2, 21, { tags: ['prod', 'app'], cores: 8, memory: 16 }),
  app(1205, 'worker-02', N3, 22, { tags: ['prod', 'app'], cores: 8, memory: 16, second_address: '10.40.30.50' }),
  app(1206, 'auth-01', N1, 31, { tags: ['prod', 'app'] }),
  app(1207, 'search-01', N2, 41, { tags: ['prod', 'app', 'search'], cores: 8, memory: 32 }),
  data(1301, 'pg-01', N1, 11, {
    tags: ['prod', 'db'],
    cores: 16,
    memory: 64,
    firewall: POSTGRES_FW,
    description: 'PostgreSQL primary of the shop',
  }),
  data(1302, 'pg-02', N2, 12, {
    tags: ['prod', 'db'],
    cores: 16,
    memory: 64,
    firewall: POSTGRES_FW,
    description: 'PostgreSQL replica',
  }),
  data(1303, 'redis-01', N3, 21, { tags: ['prod', 'cache'], memory: 16, firewall: REDIS_FW }),
  data(1304, 'mq-01', N2, 31, { tags: ['prod', 'queue'], cores: 4, memory: 8 }),
  data(1305, 'object-01', N3, 41, { tags: ['prod', 'storage'], cores: 4, memory: 16 }),
  infra(1401, 'dns-01', N1, 11, { ...ct, tags: ['infra', 'dns'] }),
  infra(1402, 'dns-02', N2, 12, { ...ct, tags: ['infra', 'dns'] }),
  infra(1403, 'ntp-01', N3, 13, { ...ct, tags: ['infra', 'ntp'] }),
  infra(1404, 'metrics-01', N3, 20, { tags: ['infra', 'monitoring'], cores: 4, memory: 16 }),
  infra(1405, 'logs-01', N2, 21, { tags: ['infra', 'monitoring'], cores: 8, memory: 32 }),
  infra(1406, 'backup-01', N4, 30, { tags: ['infra', 'backup'], cores: 4, memory: 16 }),
  infra(1407, 'mail-relay-01', N3, 25, { ...ct, tags: ['infra', 'mail'] }),
  infra(1408, 'dc-01', N1, 40, { tags: ['infra', 'windows'], windows: true, cores: 4, memory: 8 }),
  ops(1501, 'bastion-01', N1, 11, { tags: ['infra', 'ops'], firewall: BASTION_FW }),
  ops(1502, 'gitlab-01', N2, 21, { tags: ['infra', 'ops'], cores: 8, memory: 32 }),
  ops(1503, 'runner-01', N4, 31, { tags: ['infra', 'ops', 'ci'], cores: 8, memory: 16, docker: true }),
  ops(1504, 'runner-02', N4, 32, { tags: ['infra', 'ops', 'ci'], cores: 8, memory: 16, docker: true }),
  ops(1505, 'wiki-01', N2, 41, { ...ct, tags: ['infra', 'ops'] }),
  stage(1601, 'stage-web-01', N3, 11, { tags: ['staging', 'web'] }),
  stage(1602, 'stage-api-01', N4, 12, { tags: ['staging', 'app'] }),
  stage(1603, 'stage-db-01', N4, 13, { tags: ['staging', 'db'], stopped: true }),
  legacy(1701, 'erp-db-01', N3, 15, {
    tags: ['legacy', 'db'],
    agent: 'silent',
    memory: 32,
    cores: 8,
    firewall: ERP_DATABASE_FW,
    description: 'MariaDB of the ERP system. Moves to the data network, some day.',
  }),
  legacy(1702, 'erp-app-01', N2, 16, { tags: ['legacy', 'app'], windows: true, memory: 16, cores: 4 }),
  legacy(1703, 'file-01', N1, 20, { tags: ['legacy', 'files'], windows: true, memory: 8 }),
  legacy(1704, 'fax-gw-01', N4, 33, { tags: ['legacy'], agent: 'absent', stopped: true }),
  { ...web(9001, 'debian-13-template', N1, 250, { tags: ['template'] }), template: true, pool: 'platform' },
  { ...infra(9002, 'alpine-template', N2, 250, { ...ct, tags: ['template'] }), template: true },
];

/** The data center: the web shop, its infrastructure, and an ERP system that no one dares to touch. */
export const frankfurt: DemoSite = {
  cluster_name: 'demo-frankfurt',
  name: 'nordwind-fra',
  version: 'pve9',
  domain: 'fra.nordwind.example',
  management: '10.40.0',
  nodes: [N1, N2, N3, N4],
  hardware: { cores: 48, memory: 384 },
  pools: {
    shop: 'Web shop',
    platform: 'DNS, mail, monitoring, tools',
    staging: 'Tests before a release',
    erp: 'ERP system',
  },
  networks: {
    edge: { bridge: 'edge', tag: 110, cidr: '10.40.10.0/24', alias: 'Edge' },
    web: { bridge: 'web', tag: 120, cidr: '10.40.20.0/24', alias: 'Web servers' },
    app: { bridge: 'app', tag: 130, cidr: '10.40.30.0/24', alias: 'Application servers' },
    data: { bridge: 'data', tag: 140, cidr: '10.40.40.0/24', alias: 'Databases' },
    infra: { bridge: 'infra', tag: 150, cidr: '10.40.50.0/24', alias: 'Infrastructure' },
    ops: { bridge: 'ops', tag: 160, cidr: '10.40.60.0/24', alias: 'Operations' },
    stage: { bridge: 'vmbr0', tag: 210, cidr: '10.40.70.0/24' },
    legacy: { bridge: 'vmbr1', cidr: '10.40.90.0/24' },
  },
  clusterFirewall: FRANKFURT_CLUSTER_FW,
  nodeFirewalls: { [N1]: MONITORED_NODE_FW, [N4]: NFTABLES_NODE_FW },
  vnetFirewalls: { infra: NO_TELNET_VNET_FW },
  guests,
};
