import { randomUUID } from 'node:crypto';
import type { Flow, FlowDiagnostics, Heartbeat, InterfaceCounters } from '@fabric/agent-contract';
import { AGENT_VERSION, PROTOCOL_VERSION } from '@fabric/agent-contract/limits';
import { Capture, IDLE_MILLISECONDS } from './capture/capture';
import type { Config } from './config';
import { ConntrackCollector, type ConntrackSnapshot } from './conntrack/collector';
import { effectiveCapabilities, kernelSettings } from './diagnostics';
import { readEnforcement } from './firewall/enforcement';
import { readFirewallStatus } from './firewall/firewall-status';
import { assembleFlows } from './flows/assemble';
import { NEW_SHARE } from './flows/select';
import { listSentAddresses } from './flows/sent-addresses';
import { kernelBootId, machineId } from './identity';
import { AccessLog } from './logs/access-log';
import { LogCollector, type LogPositions } from './logs/log-collector';
import { readInterfaceCounters } from './net/interface-counters';
import { InterfaceTrafficMeter } from './net/interface-traffic';
import { RulesetReader } from './ruleset/ruleset-reader';
import { type Clock, monotonic, rfc3339 } from './sys/clock';
import { findTool } from './sys/run-tool';

const LOG_POLL_MILLISECONDS = 750;

/** Everything that observes the node, and the heartbeat made of it. */
export class Collectors {
  private readonly machineId = machineId();
  private readonly bootId = randomUUID();
  private readonly conntrackPath = findTool('conntrack');
  private readonly conntrack = new ConntrackCollector(this.conntrackPath);
  private readonly traffic = new InterfaceTrafficMeter();
  private readonly ruleset = new RulesetReader();
  private readonly capture: Capture;
  private readonly logs: LogCollector;
  private readonly accessLog: AccessLog;
  private sequence = 0;
  /** When connection tracking was read last. */
  private trackedAt = monotonic();
  private since: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    positions: LogPositions,
    private readonly clock: Clock = Date.now,
  ) {
    this.since = clock();
    this.capture = new Capture(clock);
    this.logs = new LogCollector(
      { file: config.firewall_log, kernelBootId: kernelBootId(), flowLimit: config.flow_limit },
      positions,
      clock,
    );
    this.accessLog = new AccessLog(config.access_log, positions.access ?? null, clock);
  }

  start(): void {
    this.capture.start();
    this.traffic.measure(this.interfaces(), this.clock());
    this.timer = setInterval(() => {
      this.logs.poll();
      this.accessLog.poll();
    }, LOG_POLL_MILLISECONDS);
  }

  /**
   * What was seen since the last call, and the log positions that go with it: to be saved once the heartbeat is safe.
   * @param intervalSeconds the interval at which heartbeats are sent now
   */
  async heartbeat(intervalSeconds: number): Promise<{ heartbeat: Heartbeat; positions: LogPositions }> {
    const { config } = this;
    const ruleset = await this.ruleset.read();
    const firewall = await readFirewallStatus(ruleset);
    const conntrack = await this.conntrack.snapshot(Math.ceil(config.flow_limit * (1 + NEW_SHARE)));
    await this.capture.drain();

    // From here on without waiting: nothing may be counted between the snapshot and the start of the next interval.
    const now = this.clock();
    this.logs.collect();
    const edits = this.accessLog.take();
    const positions = { ...this.logs.positions, access: this.accessLog.position };
    const capture = this.capture.snapshot();
    if (conntrack) this.trackedAt = monotonic();
    // What the capture has reported since, it may have forgotten by the next time: that would be counted again.
    else if (capture && monotonic() - this.trackedAt + 1_000 * intervalSeconds > IDLE_MILLISECONDS)
      this.conntrack.forget();
    const assembled = assembleFlows(
      { capture, conntrack, logs: this.logs.flows.all(), now, since: this.since },
      config.flow_limit,
    );
    const sent = capture && listSentAddresses(capture);
    const interfaces = this.interfaces();
    const traffic = this.traffic.measure(interfaces, now);
    const diagnostics = this.diagnostics(conntrack, assembled);
    const observed_since = rfc3339(this.since);
    this.capture.startInterval();
    this.logs.startInterval();
    this.since = now;

    const heartbeat: Heartbeat = {
      protocol_version: PROTOCOL_VERSION,
      agent_version: AGENT_VERSION,
      machine_id: this.machineId,
      node_name: config.node_name,
      boot_id: this.bootId,
      sequence: this.sequence,
      sent_at: rfc3339(now),
      observed_since,
      interval_seconds: intervalSeconds,
      interfaces,
      // Adjacent entries that resemble each other make the compressed heartbeat smaller.
      flows: assembled.flows.sort(compareByInterface),
      interface_traffic: assembled.flows.length === 0 || capture === null ? traffic : [],
      flow_diagnostics: diagnostics,
      firewall_status: firewall,
      nftables_ruleset_hash: ruleset.hash,
      ...(edits && { hypervisor_edits: edits }),
      enforcement: readEnforcement(ruleset),
      ...(sent && { sent_addresses: sent }),
    };
    this.sequence += 1;
    return { heartbeat, positions };
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.capture.stop();
    this.logs.close();
    this.accessLog.close();
  }

  private interfaces(): InterfaceCounters[] {
    try {
      return readInterfaceCounters();
    } catch {
      return [];
    }
  }

  private diagnostics(
    conntrack: ConntrackSnapshot | null,
    { seen, left_out }: Pick<FlowDiagnostics, 'seen' | 'left_out'>,
  ): FlowDiagnostics {
    const { failures } = this.conntrack;
    return {
      conntrack_path: this.conntrackPath,
      ...kernelSettings(),
      capabilities: effectiveCapabilities(),
      collectors: [
        this.capture.state(),
        {
          name: 'conntrack',
          state: conntrack === null ? 'unavailable' : conntrack.source === 'netlink' ? 'active' : 'degraded',
          ...((conntrack || failures.length > 0) && {
            detail: [conntrack && `by ${conntrack.source}`, ...failures].filter(Boolean).join('; ').slice(0, 500),
          }),
          ...(conntrack && { counts: { connections: conntrack.total } }),
        },
        ...this.logs.states(),
      ],
      seen,
      left_out,
    };
  }
}

function compareByInterface(a: Flow, b: Flow): number {
  const place = ({ interface: name = '', source_ip: source }: Flow): string => `${name} ${source}`;
  return place(a) < place(b) ? -1 : 1;
}
