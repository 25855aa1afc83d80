/** Options of a firewall configuration file of the hypervisor: `key: value` lines of its [OPTIONS] section. */
export function parseFirewallOptions(text: string): Map<string, string> {
  const options = new Map<string, string>();
  let isOptions = false;
  for (const line of text.split('\n')) {
    const section = /^\s*\[(\S+)/.exec(line)?.[1];
    if (section !== undefined) {
      isOptions = section.toUpperCase().startsWith('OPTIONS');
      continue;
    }
    const match = isOptions ? /^\s*([A-Za-z][\w-]*)\s*:\s*(.*?)\s*$/.exec(line) : null;
    if (match) options.set((match[1] as string).toLowerCase(), match[2] as string);
  }
  return options;
}

/** Value of a switch; absent is what the hypervisor takes as default: off. */
export function isOptionOn(options: Map<string, string>, name: string): boolean {
  return /^(?:1|on|yes|true)$/i.test(options.get(name) ?? '');
}
