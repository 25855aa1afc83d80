import { configDigest, type GuestConfig, parseGuestConfig, printGuestConfig } from '../config/guest-config';
import type { GuestType } from '../schema/guest-nic';

export type RunState = 'running' | 'stopped' | 'paused' | 'suspended' | 'prelaunch';

export type AgentAddress = { 'ip-address'?: string; 'ip-address-type'?: string; prefix?: number };
export type AgentInterface = {
  name: string;
  'hardware-address'?: string;
  'ip-addresses'?: AgentAddress[];
  statistics?: Record<string, number>;
};

/** What happens when PVE asks the guest agent for its interfaces. The config says whether an agent is configured. */
export type AgentBehaviour =
  | {
      kind: 'ok';
      interfaces: AgentInterface[] /** Virtual ms after start until the agent answers. */;
      readyAfter?: number;
    }
  /** The ping gets no answer: 500 after 3 s. */
  | { kind: 'not-running' }
  /** The agent answers the ping but not the command: 500 after 5 s. */
  | { kind: 'timeout' }
  /** Both hang: the worker is blocked for 8 s. */
  | { kind: 'hung' }
  /** The agent refuses the command: HTTP 200 with `result.error`. */
  | { kind: 'error'; class: string; desc: string }
  /** The agent closes its socket in the middle. */
  | { kind: 'disconnect' }
  /** Any JSON the guest likes to invent, passed through. */
  | { kind: 'raw'; result: unknown };

/** Address list of a container's interface as `ip --json` in its namespace prints it. */
export type ContainerInterface = {
  name: string;
  hwaddr: string;
  addresses: { family: 'inet' | 'inet6'; address: string; prefix: number }[];
};

export type GuestInit = {
  vmid: number;
  type: GuestType;
  node: string;
  config: string;
  state?: RunState;
  agent?: AgentBehaviour;
  interfaces?: ContainerInterface[];
  haState?: string;
};

/** One virtual machine or container. */
export class Guest {
  readonly vmid: number;
  readonly type: GuestType;
  /** The node whose directory holds the configuration file. */
  node: string;
  state: RunState;
  /** Virtual ms since the epoch of the last start. */
  startedAt: number;
  agent: AgentBehaviour;
  interfaces: ContainerInterface[];
  /** Old nodes answer container interfaces with an empty `ip-addresses` while `inet` is set. */
  emptyIpAddresses = false;
  haState: string | undefined;
  /** NICs whose live change fails; the value then stays pending. */
  readonly hotplugFailures = new Map<string, string>();
  #text: string;
  #parsed: GuestConfig | undefined;

  constructor(init: GuestInit, now: number) {
    this.vmid = init.vmid;
    this.type = init.type;
    this.node = init.node;
    this.state = init.state ?? 'running';
    this.startedAt = now;
    this.agent = init.agent ?? { kind: 'not-running' };
    this.interfaces = init.interfaces ?? [];
    this.haState = init.haState;
    this.#text = init.config;
  }

  get configText(): string {
    return this.#text;
  }

  set configText(text: string) {
    this.#text = text;
    this.#parsed = undefined;
  }

  get digest(): string {
    return configDigest(this.#text);
  }

  /** Parsed configuration; treat as read-only, change through `editConfig`. */
  get config(): GuestConfig {
    this.#parsed ??= parseGuestConfig(this.type, this.#text);
    return this.#parsed;
  }

  /** Rewrites the file. */
  editConfig(change: (config: GuestConfig) => void): void {
    const config = parseGuestConfig(this.type, this.#text);
    change(config);
    this.configText = printGuestConfig(this.type, config);
  }

  get isRunning(): boolean {
    return this.state !== 'stopped';
  }

  get lock(): string | undefined {
    return this.config.current.get('lock');
  }

  get isTemplate(): boolean {
    return this.config.current.get('template') === '1';
  }

  get name(): string {
    const { current } = this.config;
    return this.type === 'qemu'
      ? (current.get('name') ?? `VM ${this.vmid}`)
      : (current.get('hostname') ?? `CT${this.vmid}`);
  }

  /** Path of the configuration file below the cluster file system, as error texts name it. */
  configPath(node = this.node): string {
    return guestConfigPath(this.type, this.vmid, node);
  }
}

export const guestConfigPath = (type: GuestType, vmid: number, node: string): string =>
  `nodes/${node}/${type === 'qemu' ? 'qemu-server' : 'lxc'}/${vmid}.conf`;
