import { MUNICH_CLUSTER_FW } from './firewall-files';
import type { DemoGuest, DemoSite } from './site';

const NODES = ['muc-pve1', 'muc-pve2', 'muc-pve3'] as const;
const node = (index: number): string => NODES[index % NODES.length] ?? NODES[0];

const desktop = (index: number): DemoGuest => ({
  vmid: 2001 + index,
  name: `desk-${String(index + 1).padStart(2, '0')}`,
  kind: 'vm',
  node: node(index),
  network: 'office',
  address: `10.50.10.${101 + index}`,
  tags: ['desktop', 'windows'],
  pool: 'office',
  windows: true,
  cores: 4,
  memory: 8,
  ...(index === 7 && { agent: 'silent' as const }),
});

const server = (
  vmid: number,
  name: string,
  host: number,
  rest: Partial<DemoGuest> & Pick<DemoGuest, 'tags'>,
): DemoGuest => ({
  vmid,
  name,
  kind: 'vm',
  node: node(vmid),
  network: 'servers',
  address: `10.50.20.${host}`,
  pool: 'office',
  ...rest,
});

const developer = (vmid: number, name: string, host: number, rest: Partial<DemoGuest> = {}): DemoGuest => ({
  vmid,
  name,
  kind: 'vm',
  node: node(vmid),
  network: 'dev',
  address: `10.50.30.${host}`,
  tags: ['dev'],
  pool: 'engineering',
  cores: 8,
  memory: 16,
  ...rest,
});

/** The office: desktops, the servers they use, and the machines of the developers. */
export const munich: DemoSite = {
  cluster_name: 'demo-munich',
  name: 'nordwind-muc',
  version: 'pve8',
  domain: 'muc.nordwind.example',
  management: '10.50.0',
  nodes: NODES,
  hardware: { cores: 32, memory: 192 },
  pools: { office: 'Desktops and office servers', engineering: 'Development' },
  networks: {
    office: { bridge: 'office', tag: 310, cidr: '10.50.10.0/24', alias: 'Office' },
    servers: { bridge: 'servers', tag: 320, cidr: '10.50.20.0/24', alias: 'Office servers' },
    dev: { bridge: 'vmbr0', tag: 330, cidr: '10.50.30.0/24' },
  },
  clusterFirewall: MUNICH_CLUSTER_FW,
  guests: [
    ...Array.from({ length: 12 }, (_, index) => desktop(index)),
    server(2101, 'dc-02', 10, { tags: ['infra', 'windows'], windows: true, memory: 8 }),
    server(2102, 'file-02', 20, { tags: ['files', 'windows'], windows: true, memory: 16 }),
    server(2103, 'print-01', 30, { tags: ['print'], kind: 'ct' }),
    server(2104, 'dns-03', 53, { tags: ['infra', 'dns'], kind: 'ct' }),
    server(2105, 'voip-01', 60, { tags: ['voice'], agent: 'absent' }),
    server(2106, 'plm-01', 70, { tags: ['plm'], windows: true, cores: 8, memory: 32 }),
    developer(2201, 'dev-01', 11),
    developer(2202, 'dev-02', 12, { docker: true }),
    developer(2203, 'dev-03', 13),
    developer(2204, 'dev-04', 14, { stopped: true }),
    developer(2205, 'cache-01', 20, { kind: 'ct', cores: 2, memory: 4 }),
    { ...desktop(60), vmid: 9101, name: 'windows-11-template', node: NODES[0], tags: ['template'], template: true },
  ],
};
