import type { CollectorState, FlowDiagnostics } from '@fabric/agent-contract';
import { msg, type Translate } from '@/lib/i18n/translator';

/** What is wrong with a collector and how to fix it; run `command` as root on the node. */
export type Advice = { text: string; command?: string };

type Settings = Pick<FlowDiagnostics, 'nf_conntrack_acct'>;

const RESTART = 'systemctl restart fabric-agent';
const REINSTALL = msg('Run a new install command on the node to restore the unit with the required permissions.');
const withReinstall = (t: Translate, text: string) => `${text} ${t(REINSTALL)}`;
const doctor = (t: Translate): Advice => ({
  text: t("Run the agent's self-check to see what is missing."),
  command: 'fabric-agent doctor',
});

const count = ({ counts }: CollectorState, name: string) => counts?.[name] ?? 0;

function captureAdvice(t: Translate, collector: CollectorState): Advice[] {
  const { state, detail = '' } = collector;
  if (state === 'unavailable') {
    return [
      {
        text: withReinstall(
          t,
          t('Workload packets are not counted. Interface counters are used instead, without addresses.'),
        ),
        command: 'fabric-agent doctor',
      },
    ];
  }
  const advice: Advice[] = [];
  if (count(collector, 'kernel_drops') > 0) {
    advice.push({
      text: t('The node was too busy to capture every packet. Traffic shown is lower than actual traffic.'),
    });
  }
  if (count(collector, 'table_full_packets') + count(collector, 'overflow_packets') > 0) {
    advice.push({
      text: t(
        'More conversations started between two reads than the table holds, as in a scan or a flood. Their packets count in totals, but not by address. Look for the source among the denied flows.',
      ),
    });
  }
  if (state === 'degraded' && advice.length === 0)
    advice.push({ ...doctor(t), command: 'journalctl -u fabric-agent -n 50' });
  if (/\bon 0 interfaces/.test(detail)) {
    advice.push({
      text: t(
        'No workload interfaces to observe: no workload runs here, or interface names differ from tap<vmid>i<n> and veth<vmid>i<n>.',
      ),
      command: 'ip -br link',
    });
  }
  if (detail.startsWith('ring')) {
    advice.push({
      text: withReinstall(
        t,
        t('Packets are captured in the more expensive mode, because counting in the kernel is not permitted.'),
      ),
    });
  }
  return advice;
}

function conntrackAdvice(t: Translate, { state }: CollectorState, { nf_conntrack_acct }: Settings): Advice[] {
  const advice: Advice[] = [];
  if (state === 'unavailable') {
    advice.push({ text: withReinstall(t, t('Tracked connections cannot be read.')), command: 'fabric-agent doctor' });
  } else if (state === 'degraded') {
    advice.push({ text: withReinstall(t, t('Tracked connections are read in a more expensive mode.')) });
  }
  if (nf_conntrack_acct === false) {
    advice.push({
      text: t('Connections have no byte counters. Once enabled, only new connections are counted.'),
      command: 'sysctl -w net.netfilter.nf_conntrack_acct=1',
    });
  }
  return advice;
}

function kernelLogAdvice(t: Translate, { state }: CollectorState): Advice[] {
  if (state === 'unavailable') {
    return [{ text: withReinstall(t, t('The kernel log cannot be read. Packets logged by other rules are missing.')) }];
  }
  return state === 'degraded'
    ? [
        {
          text: t(
            'Log lines were lost: the kernel wrote faster than the log buffer allows. Reduce or rate-limit logging in rules.',
          ),
        },
      ]
    : [];
}

function firewallLogAdvice(t: Translate, { state, detail = '' }: CollectorState): Advice[] {
  if (state === 'unavailable' && detail.includes('does not exist')) {
    return [
      {
        text: t(
          'The hypervisor has not logged anything yet. The file appears with the first packet. Set a log level on a rule, or log_level_in in the guest firewall options. Until then, drops are not visible.',
        ),
      },
    ];
  }
  if (state === 'unavailable') {
    return [
      { text: t('The agent is not permitted to read the log.'), command: `usermod -aG adm fabric-agent && ${RESTART}` },
    ];
  }
  return state === 'degraded'
    ? [
        {
          text: t('Log lines were lost: the log was rotated before it was read. Rotate the log at most once a minute.'),
        },
      ]
    : [];
}

/** What an administrator can do about a collector; empty when nothing is wrong. */
export function collectorAdvice(t: Translate, collector: CollectorState, settings: Settings): Advice[] {
  switch (collector.name) {
    case 'packet_capture':
      return captureAdvice(t, collector);
    case 'conntrack':
      return conntrackAdvice(t, collector, settings);
    case 'kernel_log':
      return kernelLogAdvice(t, collector);
    case 'firewall_log':
      return firewallLogAdvice(t, collector);
    default:
      return collector.state === 'degraded' || collector.state === 'unavailable' ? [doctor(t)] : [];
  }
}
