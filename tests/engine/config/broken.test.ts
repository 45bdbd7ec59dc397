import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '../../../src/engine/config/problem.ts';
import { problemsOf, type World } from '../../support/config.ts';

/** One broken file. `»` marks the place that must be named, and is not part of the text. */
interface Broken extends World {
  readonly toml: string;
  readonly says: string;
}

const http = '[[monitors]]\nid = "web"\ntarget = "https://example.com"\n';
const tcp = '[[monitors]]\nid = "db"\nkind = "tcp"\ntarget = "db.example.com:5432"\n';
const push = '[[monitors]]\nid = "job"\nkind = "push"\n';
const telegram = '[[channels]]\nname = "ops"\ntype = "telegram"\ntoken = "t0ken"\nchat_id = "1"\n';

const table: readonly Broken[] = [
  // TOML itself
  { toml: 'a = »"open', says: 'a string has no end; close it with the quotation mark it begins with' },
  {
    toml: '[page]\ntitle = "one"\n»title = "two"',
    says: 'the key title is given twice, first on line 2; keep one of the two',
  },
  {
    toml: '[server]\nbind = "a:1"\n[page]\n[»server]\n',
    says: 'the table [server] is given twice, first on line 1; keep one of the two',
  },
  {
    toml: 'server.bind = "a:1"\n[»server]\n',
    says: 'the table [server] is given twice, first on line 1; keep one of the two',
  },
  {
    toml: '[monitors]\n[[»monitors]]\n',
    says: 'the table [[monitors]] is given twice, first on line 1; keep one of the two',
  },
  {
    toml: '[[monitors]]\nid = "a"\n[[monitors]]\nid = "b"\n»id = "c"\n',
    says: 'the key id is given twice, first on line 4; keep one of the two',
  },
  {
    toml: '[server]\ngroup_tokens = { "a b" = "x", »"a b" = "y" }\n',
    says: 'the key "a b" is given twice; keep one of the two',
  },
  {
    toml: '[page]\nfooter = """\ntitle = 1\n"""\ntitle = "x"\n»title = "y"\n',
    says: 'the key title is given twice, first on line 5; keep one of the two',
  },
  { toml: '[page]\ntitle = »Status', says: 'here should be a value; text needs quotation marks' },
  {
    toml: '[page]\ntitle = "a" »"b"',
    says: 'there is something after the value; write one key = value a line; a string that holds quotation marks needs the other kind around it',
  },
  {
    toml: '[page]\ntitle = "a»\n"',
    says: 'a string holds a line break or a control code; close the string on its line, or use """ for several lines',
  },
  {
    toml: '[server]\nallowed_origins = »["https://example.com",',
    says: 'an array has no end; close it with ]',
  },
  {
    toml: '[page]\ntitle = "C:\\»dir"',
    says: "a string has an unknown escape after a backslash; write \\\\ for a backslash, or use '…' quotes, where a backslash is itself",
  },
  {
    toml: '[page»\ntitle = "x"',
    says: 'a key has a character it cannot have; write key = value; a key with other characters than letters, digits, - and _ needs quotation marks',
  },
  {
    toml: '[page]\nhistory_days = »090',
    says: 'a number begins with 0; write it without the zero, or in quotation marks',
  },
  {
    toml: '[[maintenance]]\ntitle = "x"\nstart = »2026-02-30T00:00:00Z',
    says: 'this day does not exist',
  },
  {
    toml: 'maintenance = [\n  { title = "x", start = 2026-01-31T00:00:00Z, end = »2026-02-29T00:00:00Z },\n]',
    says: 'this day does not exist',
  },

  // Sections and keys
  { toml: '»[sever]\nbind = "127.0.0.1:1"', says: 'sever: is an unknown section; did you mean [server]?' },
  {
    toml: '[[channels]]\nname = "a"\ntype = »"smtp"',
    says: 'channel "a": type must be one of telegram, discord, slack, matrix, ntfy, gotify, pushover, email, freemobile, webhook, teams, pagerduty, alertmanager, mattermost, rocketchat, googlechat, zulip, signal, twilio, homeassistant, apprise, exec; did you mean email?',
  },
  {
    toml: '»[[monitors]]\nid = "a"\nurl = "https://a.example.com/"',
    says: 'monitor "a": target is required; did you mean target where you wrote url?',
  },
  { toml: '»[[monitor]]\nid = "a"', says: 'monitor: is an unknown section; did you mean [[monitors]]?' },
  { toml: '»auth_token = "x"', says: 'auth_token: is outside of its section; it belongs in [server]' },
  {
    toml: '»colour = "red"',
    says: 'colour: is an unknown section; there are page, server, storage, node, probes, monitors, channels, rotations, escalations, alerts, digest, subscribe, outputs, maintenance, incidents, health, peers',
  },
  {
    toml: '»[[page]]\ntitle = "x"',
    says: 'page: must be a table, not an array; write [page] above its keys',
  },
  {
    toml: '»[monitors]\nid = "a"\ntarget = "https://example.com"',
    says: 'monitors: must be an array of tables, not a table; write [[monitors]] above each',
  },
  { toml: 'page = »"Status"', says: 'page: must be a table, not a string; write [page] above its keys' },
  {
    toml: `${http}»intervl_secs = 30`,
    says: 'monitor "web": intervl_secs is an unknown key; did you mean interval_secs?',
  },
  {
    toml: `${http}»timeout = 30`,
    says: 'monitor "web": timeout is an unknown key; did you mean timeout_secs?',
  },
  {
    toml: `${http}»frequency = 30`,
    says: 'monitor "web": frequency is an unknown key; did you mean interval_secs?',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = »"smtp"\ntarget = "mail.test:25"',
    says: 'monitor "m": kind must be one of http, tcp, icmp, dns, push, exec; write kind = "tcp" with starttls = "smtp"',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = »"IMAP"\ntarget = "mail.test:25"',
    says: 'monitor "m": kind must be one of http, tcp, icmp, dns, push, exec; write kind = "tcp" with starttls = "imap"',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = »"pop3"\ntarget = "mail.test:25"',
    says: 'monitor "m": kind must be one of http, tcp, icmp, dns, push, exec; did you mean tcp?',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = »"ftp"\ntarget = "mail.test:25"',
    says: 'monitor "m": kind must be one of http, tcp, icmp, dns, push, exec; did you mean tcp?',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = »"mysql"\ntarget = "mail.test:25"',
    says: 'monitor "m": kind must be one of http, tcp, icmp, dns, push, exec; did you mean tcp?',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = »"Postgres"\ntarget = "mail.test:25"',
    says: 'monitor "m": kind must be one of http, tcp, icmp, dns, push, exec; did you mean tcp?',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = »"redis"\ntarget = "mail.test:25"',
    says: 'monitor "m": kind must be one of http, tcp, icmp, dns, push, exec; did you mean tcp?',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = "tcp"\ntarget = "mail.test:25"\n»port = 25',
    says: 'monitor "m": port is an unknown key; the port is part of the target: target = "mail.test:25"',
  },
  {
    toml: '[[monitors]]\nid = "m"\ntarget = "https://mail.test"\n»port = 25',
    says: 'monitor "m": port is an unknown key; the port is part of the target: target = "https://mail.test:25"',
  },
  {
    toml: '[[monitors]]\nid = "m"\nkind = "icmp"\ntarget = "mail.test"\n»port = 25',
    says: 'monitor "m": port is an unknown key; a monitor of kind icmp has no port: remove the key',
  },
  {
    toml: `[page]\n»fail_threshold = 2`,
    says: 'page.fail_threshold: is no key of [page]; it belongs in [[monitors]] or [alerts]',
  },
  {
    toml: '[health]\n»logo = "x"',
    says: 'health.logo: is no key of [health]; it belongs in [page]',
  },
  {
    toml: '[page]\naccent = »"#9fe0c8"',
    says: 'page.accent: has a contrast of 1.4 to 1 on the page, and needs 4.5 to 1; choose a darker one',
  },
  {
    toml: '[page]\naccent = »"green"',
    says: 'page.accent: must be a colour; for example #0b6650',
  },
  {
    toml: '[page]\ntimezone = »"Mars/Olympus"',
    says: 'page.timezone: must be a time zone; for example Europe/Berlin',
  },
  {
    toml: '[page]\n»"a\\u001b[31m b" = 1',
    says: 'page."a b": is an unknown key; statusd.toml(5) lists the keys',
  },
  {
    toml: `${tcp}»keyword = "ok"`,
    says: 'monitor "db": keyword fits kind http; this monitor is tcp: remove the key',
  },
  {
    toml: `${http}»dns_record = "A"`,
    says: 'monitor "web": dns_record fits kind dns; this monitor is http: remove the key',
  },
  {
    toml: `${push}push_token = "t"\n»target = "https://example.com"`,
    says: 'monitor "job": target fits kind http, tcp, icmp, dns; this monitor is push: remove the key',
  },
  {
    toml: `${telegram}»webhook_url = "https://example.com"`,
    says: 'channel "ops": webhook_url fits type discord, slack, teams, mattermost, rocketchat, googlechat; this channel is telegram: remove the key',
  },

  // Types of values
  {
    toml: '[page]\nhistory_days = »"90"',
    says: 'page.history_days: must be an integer from 1 to 1100, not a string; write the number without quotes',
  },
  { toml: '[page]\nhistory_days = »0', says: 'page.history_days: must be an integer from 1 to 1100, not 0' },
  {
    toml: '[page]\nhistory_days = »1.5',
    says: 'page.history_days: must be an integer from 1 to 1100, not 1.5',
  },
  {
    toml: '[page]\nhistory_days = »99999999999999999999',
    says: 'page.history_days: must be an integer from 1 to 1100, not 99999999999999999999',
  },
  { toml: '[page]\ntitle = »true', says: 'page.title: must be text, not a boolean' },
  { toml: '[page]\ntitle = »""', says: 'page.title: must not be empty' },
  {
    toml: '[alerts]\nalert_on_degraded = »"true"',
    says: 'alerts.alert_on_degraded: must be true or false, not a string; write true without quotes',
  },
  {
    toml: '[alerts]\nfail_threshold = »101',
    says: 'alerts.fail_threshold: must be an integer from 1 to 100, not 101',
  },
  {
    toml: '[alerts]\ngroup_window_secs = »-1',
    says: 'alerts.group_window_secs: must be an integer from 0 to 2592000, not -1',
  },
  { toml: '[server]\nauth_token = »12345', says: 'server.auth_token: must be text, not an integer' },
  {
    toml: '[server]\nauth_token = »""',
    says: 'server.auth_token: must not be empty; is its variable set? without a token, remove the key',
  },
  {
    toml: '[server]\nbind = »"8787"',
    says: 'server.bind: must be host:port; for example 127.0.0.1:8787 or [::1]:8787',
  },
  {
    toml: '[server]\nallowed_origins = »"https://example.com"',
    says: 'server.allowed_origins: must be an array of origins, not a string; write it in square brackets',
  },
  {
    toml: '[server]\nallowed_origins = ["https://a.example", »"https://b.example/path"]',
    says: 'server.allowed_origins[1]: must stop after the host; for example https://www.example.com',
  },
  {
    toml: '[server]\ntrusted_proxies = [»"10.0.0.0/33"]',
    says: 'server.trusted_proxies[0]: must be an IP address or a CIDR range; for example 10.0.0.0/8',
  },
  {
    toml: '[server]\nbase_url = »"status.example.com"',
    says: 'server.base_url: must be a URL with http or https; for example https://example.com/health',
  },
  {
    toml: '[server]\nclient_ip_header = »"X Real IP"',
    says: 'server.client_ip_header: must be the name of a header; for example x-real-ip',
  },
  {
    toml: '[server.group_tokens]\ninfra = »""',
    says: 'server.group_tokens.infra: must not be empty; is its variable set? without a token, remove the key',
  },
  {
    toml: '[digest]\nschedule = »"0 0 8 * * 1"',
    says: 'digest.schedule: must be a five-field cron schedule, not one of 6 fields; for example "0 8 * * 1": minute, hour, day of month, month, day of week',
  },
  {
    toml: '[digest]\nschedule = »"0 25 * * *"',
    says: 'digest.schedule: must be a five-field cron schedule; for example "0 8 * * 1": minute, hour, day of month, month, day of week',
  },
  {
    toml: '[digest]\nschedule = »"0 0 31 2 *"',
    says: 'digest.schedule: never occurs: there is no such day; for example "0 8 * * 1": minute, hour, day of month, month, day of week',
  },
  {
    toml: '[digest]\nschedule = »"@reboot"',
    says: 'digest.schedule: must be a five-field cron schedule, not one of 1 field; for example "0 8 * * 1": minute, hour, day of month, month, day of week',
  },

  // Monitors
  {
    toml: '»[[monitors]]\ntarget = "https://example.com"',
    says: 'monitors[0].id: is required; for example id = "website"',
  },
  {
    toml: '»[[monitors]]\nid = "web"',
    says: 'monitor "web": target is required; for example target = "https://example.com/"',
  },
  {
    toml: 'monitors = [{ id = "a", target = "https://a.example" }, »{ id = "b" }]',
    says: 'monitor "b": target is required; for example target = "https://example.com/"',
  },
  {
    toml: 'monitors = [»1]',
    says: 'monitors[0]: must be a table, not an integer; write [[monitors]] above its keys',
  },
  {
    toml: '[[monitors]]\nid = »"my site"\ntarget = "https://example.com"',
    says: 'monitor "my site": id must be an id: 1 to 128 letters, digits, hyphens and underscores',
  },
  {
    toml: '[[monitors]]\nid = "web"\nkind = »"htpp"\ntarget = "x"',
    says: 'monitor "web": kind must be one of http, tcp, icmp, dns, push, exec; did you mean http?',
  },
  {
    toml: `${http}\n[[monitors]]\nid = »"web"\ntarget = "https://example.org"`,
    says: 'monitor "web": id is used by an earlier monitor: "web"; choose another id',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = »"ftp://example.com"',
    says: 'monitor "a": target must be a URL with http or https; for example https://example.com/health',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = »"https:example.com"',
    says: 'monitor "a": target must be a URL with http or https; for example https://example.com/health',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = »"//"',
    says: 'monitor "a": target must be a URL with http or https; for example https://example.com/health',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "tcp"\ntarget = »"db.example.com"',
    says: 'monitor "a": target must be host:port; for example example.com:443 or [2001:db8::1]:443',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "tcp"\ntarget = »"2001:db8::1"',
    says: 'monitor "a": target must be host:port; for example example.com:443 or [2001:db8::1]:443',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "tcp"\ntarget = »"db:70000"',
    says: 'monitor "a": target must be host:port; for example example.com:443 or [2001:db8::1]:443',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "icmp"\ntarget = »"-f"',
    says: 'monitor "a": target must not begin with a hyphen',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "icmp"\ntarget = »"192.168.1.256"',
    says: 'monitor "a": target must be a host name or an IP address; for example example.com or 192.0.2.1',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "dns"\ntarget = »"exa mple.com"',
    says: 'monitor "a": target must be a domain name; for example example.com',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "dns"\ntarget = "example.com"\ndns_record = »"TEXT"',
    says: 'monitor "a": dns_record must be one of A, AAAA, CAA, CNAME, MX, NS, PTR, SOA, SRV, TXT; did you mean TXT?',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "dns"\ntarget = "example.com"\ndns_resolver = »"9.9.9.9"',
    says: 'monitor "a": dns_resolver must be host:port; for example 9.9.9.9:53 or [2620:fe::fe]:53',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "dns"\ntarget = "example.com"\ndns_resolver = »"dns.example.com"',
    says: 'monitor "a": dns_resolver must be host:port; for example 9.9.9.9:53 or [2620:fe::fe]:53',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "dns"\ntarget = "example.com"\ndns_expected = »"192.0.2.1,,"',
    says: 'monitor "a": dns_expected must not have an empty answer',
  },
  { toml: `${tcp}starttls = »"pop3"`, says: 'monitor "db": starttls must be one of smtp, imap' },
  {
    toml: `${http}interval_secs = »0`,
    says: 'monitor "web": interval_secs must be an integer from 1 to 2592000, not 0',
  },
  {
    toml: `${http}timeout_secs = »301`,
    says: 'monitor "web": timeout_secs must be an integer from 1 to 300, not 301',
  },
  {
    toml: '[[monitors]]\nid = "e"\nkind = "exec"\ncommand = ["check"]\ntimeout_secs = »3601',
    says: 'monitor "e": timeout_secs must be an integer from 1 to 3600, not 3601',
  },
  {
    toml: '[alerts]\nfail_threshold = »-1',
    says: 'alerts.fail_threshold: must be an integer from 1 to 100, not -1',
  },
  {
    toml: '[page]\nhistory_days = »1101',
    says: 'page.history_days: must be an integer from 1 to 1100, not 1101',
  },
  {
    toml: `${http}slo_window_days = »1101`,
    says: 'monitor "web": slo_window_days must be an integer from 1 to 1100, not 1101',
  },
  {
    toml: '[digest]\nschedule = »"60/5 * * * *"',
    says: 'digest.schedule: must be a five-field cron schedule; for example "0 8 * * 1": minute, hour, day of month, month, day of week',
  },
  {
    toml: `${http}depends_on = [»"in-b"]\n[[peers]]\nid = "b"\nlisten_id = "in-b"\nlisten_token = "t0ken-b"`,
    says: 'monitor "web": depends_on[0] names no monitor: "in-b"; there are "web"',
  },
  {
    toml: `${http}[[peers]]\nid = "b"\nlisten_id = "in-b"\nlisten_token = "t0ken-b"\n[[maintenance]]\nstart = 2026-06-08T00:00:00Z\nend = 2026-06-09T00:00:00Z\nmonitors = [»"in-c"]`,
    says: 'maintenance[0].monitors[0]: names no monitor: "in-c"; did you mean "in-b"?',
  },
  {
    toml: `${http}probe_retries = »6`,
    says: 'monitor "web": probe_retries must be an integer from 0 to 5, not 6',
  },
  {
    toml: `${http}slo_uptime = »100`,
    says: 'monitor "web": slo_uptime must be a number between 0 and 100, both excluded, not 100',
  },
  {
    toml: `${http}slo_uptime = »nan`,
    says: 'monitor "web": slo_uptime must be a number between 0 and 100, both excluded, not a float',
  },
  {
    toml: `${http}method = »"GE T"`,
    says: 'monitor "web": method must be an HTTP method; for example GET, HEAD or POST',
  },
  {
    toml: `${http}headers = { »"X Y" = "1" }`,
    says: 'monitor "web": headers."X Y" is not the name of a header',
  },
  {
    toml: `${http}[monitors.headers]\nAccept = "a"\n»accept = "b"`,
    says: 'monitor "web": headers.accept is the same as Accept; keep one',
  },
  {
    toml: `${http}headers = { X-Name = »"a\\r\\nb" }`,
    says: 'monitor "web": headers.X-Name must not contain line breaks',
  },
  {
    toml: `${http}headers = { X-Name = »"łódź" }`,
    says: 'monitor "web": headers.X-Name must not contain characters above U+00FF; a header is Latin-1: percent-encode the value',
  },
  {
    toml: `${http}headers = { X-Name = »5 }`,
    says: 'monitor "web": headers.X-Name must be text, not an integer',
  },
  {
    toml: `${http}headers = { »Transfer-Encoding = "chunked" }`,
    says: 'monitor "web": headers.Transfer-Encoding is a header of the connection; remove it',
  },
  {
    toml: `${http}expected_status = »700`,
    says: 'monitor "web": expected_status must be a status code from 100 to 599, not 700',
  },
  {
    toml: `${http}expected_status = [200, »"299-200"]`,
    says: 'monitor "web": expected_status[1] must be a range from a lower to a higher code',
  },
  {
    toml: `${http}expected_status = [»"2xx"]`,
    says: 'monitor "web": expected_status[0] must be a status code, or a list of codes and "from-to" ranges; for example [200, "300-399"]',
  },
  {
    toml: `${http}keyword_invert = »true`,
    says: 'monitor "web": keyword_invert needs a keyword; set keyword, or remove keyword_invert',
  },
  {
    toml: `${http}json_query = »"status"`,
    says: 'monitor "web": json_query must be a JSONPath query (RFC 9535); for example $.status',
  },
  {
    toml: `${http}number_max = »5`,
    says: `monitor "web": number_max needs a number_regex; for example number_regex = 'load: ([0-9.]+)'`,
  },
  {
    toml: `${http}number_regex = '(\\d+)'\nnumber_min = »9\nnumber_max = 5`,
    says: 'monitor "web": number_min must not be over number_max (5); swap the two',
  },
  {
    toml: `${http}number_regex = »'(\\d+'`,
    says: 'monitor "web": number_regex is not a regular expression in RE2 syntax; RE2 has no look-arounds and no back-references',
  },
  {
    toml: `${http}number_regex = »'(?:a?){200}b'`,
    says: 'monitor "web": number_regex is too costly a regular expression; use smaller counts in {…}, or fewer alternatives',
  },
  {
    toml: `${http}proxy = »"socks4://127.0.0.1:1080"`,
    says: 'monitor "web": proxy must be a URL with http, https or socks5; for example socks5://127.0.0.1:9050',
  },
  {
    toml: `${http}proxy = "socks5://127.0.0.1:1080"\ndual_stack = »true`,
    says: 'monitor "web": dual_stack cannot go with proxy; remove one of the two',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = "https://[2001:db8::1]/"\ndual_stack = »true',
    says: 'monitor "a": dual_stack needs a host name: an address is of one family only; remove it, or name the host in target',
  },
  {
    toml: `${http}cert_pin = »"abc123"`,
    says: 'monitor "web": cert_pin must be a SHA-256 digest in hex: 64 hex digits, not 6',
  },
  {
    toml: `${http}public = »false`,
    says: 'monitor "web": public needs server.auth_token: without it nobody could see the monitor; set auth_token in [server], or remove public = false',
  },
  {
    toml: `${http}group = »".."`,
    says: 'monitor "web": group must not be "..": no address can hold it, and a group has a page of its own',
  },
  {
    toml: `${http}group = »"."`,
    says: 'monitor "web": group must not be ".": no address can hold it, and a group has a page of its own',
  },
  { toml: `${http}group = »""`, says: 'monitor "web": group must not be empty' },
  {
    toml: `${http}group = »" \\u200b\\u3164"`,
    says: 'monitor "web": group must have a visible character',
  },
  {
    toml: `${http}name = »"\\u00a0\\u2060"`,
    says: 'monitor "web": name must have a visible character',
  },
  { toml: '[page]\ntitle = »" "', says: 'page.title: must have a visible character' },
  {
    toml: `${push}push_token = »""`,
    says: 'monitor "job": push_token must not be empty; is its variable set? without a token, remove the key',
  },
  {
    toml: `${push}push_token = "t"\nschedule = »"daily at noon"`,
    says: 'monitor "job": schedule must be a five-field cron schedule, not one of 3 fields; for example "0 8 * * 1": minute, hour, day of month, month, day of week',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "exec"\ncommand = »"check_disk -w 10%"',
    says: 'monitor "a": command must be an array of words, not a string; write it in square brackets',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "exec"\ncommand = »[]',
    says: 'monitor "a": command must have at least 1 element',
  },
  {
    toml: '[[monitors]]\nid = "a"\nkind = "exec"\ncommand = [»"../check"]',
    says: 'monitor "a": command[0] must be a program in the folder of plugins, see exec_dir of [probes]; write its name, without / before it and without ..',
  },

  // References
  {
    toml: `${http}depends_on = [»"databse"]\n[[monitors]]\nid = "database"\ntarget = "https://example.com"`,
    says: 'monitor "web": depends_on[0] names no monitor: "databse"; did you mean "database"?',
  },
  {
    toml: `${http}depends_on = [»"web"]`,
    says: 'monitor "web": depends_on[0] makes a cycle: web -> web; remove one of these',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = "https://a.example"\ndepends_on = ["b"]\n[[monitors]]\nid = "b"\ntarget = "https://b.example"\ndepends_on = ["c"]\n[[monitors]]\nid = "c"\ntarget = "https://c.example"\ndepends_on = [»"a"]',
    says: 'monitor "c": depends_on[0] makes a cycle: a -> b -> c -> a; remove one of these',
  },
  {
    toml: `${telegram}${http}notify = [»"opz"]`,
    says: 'monitor "web": notify[0] names no channel: "opz"; did you mean "ops"?',
  },
  {
    toml: `${http}notify = [»"ops"]`,
    says: 'monitor "web": notify[0] names no channel: "ops"; there are none',
  },
  {
    toml: `${http}[digest]\nnotify = [»"ops"]`,
    says: 'digest.notify[0]: names no channel: "ops"; there are none',
  },
  {
    toml: `${telegram}${telegram.replace('"ops"', '»"ops"')}`,
    says: 'channel "ops": name is used by an earlier channel: "ops"; choose another name',
  },
  {
    toml: `${http}[[maintenance]]\ntitle = "x"\nstart = "2026-01-01T00:00:00Z"\nend = "2026-01-02T00:00:00Z"\nmonitors = ["web", »"bew"]`,
    says: 'maintenance "x": monitors[1] names no monitor: "bew"; there are "web"',
  },
  {
    toml: '»[[maintenance]]\ntitle = "x"\nschedule = "0 3 * * *"',
    says: 'maintenance "x": duration is required with a schedule; for example duration = "2h"',
  },
  {
    toml: '[[maintenance]]\ntitle = "x"\nschedule = »"*/30 * * * *"\nduration = "5m"',
    says: 'maintenance "x": schedule comes more often than once an hour; let one longer window cover them',
  },
  {
    toml: '[[maintenance]]\ntitle = "x"\nschedule = "0 3 * * *"\nduration = »"24h"',
    says: 'maintenance "x": duration leaves no time between two windows, which come every 1d; shorten it',
  },
  {
    toml: '[[maintenance]]\ntitle = "x"\nschedule = "0 3 * * *"\nduration = »"2"',
    says: 'maintenance "x": duration has no unit; Write numbers with a unit (s, m, h or d), joined: 90s, 10m, 1h30m, 2d.',
  },
  {
    toml: '[[maintenance]]\ntitle = "x"\nstart = "2026-01-02T00:00:00Z"\nend = »"2026-01-01T00:00:00Z"',
    says: 'maintenance "x": end must be after start; swap the two, or correct the day',
  },
  {
    toml: '[[maintenance]]\ntitle = "x"\nstart = »"2026-01-02"\nend = "2026-01-03T00:00:00Z"',
    says: 'maintenance "x": start must say its offset from UTC; end it with Z for UTC, or with an offset such as +02:00',
  },
  {
    toml: '[[maintenance]]\ntitle = "x"\nstart = »2026-01-02T00:00:00\nend = "2026-01-03T00:00:00Z"',
    says: 'maintenance "x": start must say its offset from UTC; end it with Z for UTC, or with an offset such as +02:00',
  },
  {
    toml: '[[maintenance]]\ntitle = "x"\nstart = »"2026-02-30T00:00:00Z"\nend = "2026-03-03T00:00:00Z"',
    says: 'maintenance "x": start must be a date and time with an offset; for example "2026-06-08T00:00:00Z", or the same without quotes',
  },
  {
    toml: '[[incidents]]\ntitle = "x"\nseverity = »"warn"',
    says: 'incident "x": severity must be one of info, warning, critical, resolved',
  },
  {
    toml: '[[peers]]\nid = "b"\nping_url = »"b.example.com"',
    says: 'peer "b": ping_url must be a URL with http or https; for example https://example.com/health',
  },
  {
    toml: '[[peers]]\nid = "b"\nping_url = "https://b.example"\nping_token = »""',
    says: 'peer "b": ping_token must not be empty; is its variable set? without a token, remove the key',
  },
  {
    toml: `${http}»[[peers]]\nid = "web"\nping_url = "https://b.example"`,
    says: 'peer "web": listen_id is also the id of a monitor: "web"; set another listen_id, and push to that one',
  },
  {
    toml: '[health]\nid = "a"\n[[peers]]\nid = »"a"\nlisten_token = "t0ken-a"',
    says: 'peer "a": id is this node itself: [health] has the id "a"; remove the peer, or give this node another id',
  },

  // Channels
  {
    toml: '»[[channels]]\nname = "ops"',
    says: 'channel "ops": type is required; one of telegram, discord, slack, matrix, ntfy, gotify, pushover, email, freemobile, webhook, teams, pagerduty, alertmanager, mattermost, rocketchat, googlechat, zulip, signal, twilio, homeassistant, apprise, exec',
  },
  {
    toml: '[[channels]]\nname = "ops"\ntype = »"telegramm"',
    says: 'channel "ops": type must be one of telegram, discord, slack, matrix, ntfy, gotify, pushover, email, freemobile, webhook, teams, pagerduty, alertmanager, mattermost, rocketchat, googlechat, zulip, signal, twilio, homeassistant, apprise, exec; did you mean telegram?',
  },
  {
    toml: '»[[channels]]\nname = "ops"\ntype = "discord"',
    says: 'channel "ops": webhook_url is required; for example webhook_url = "${DISCORD_WEBHOOK}"',
  },
  {
    toml: '[[channels]]\nname = "ops"\ntype = "ntfy"\nurl = »"https://ntfy.sh/"',
    says: 'channel "ops": url must end with the name of the topic; for example https://ntfy.sh/my-topic',
  },
  {
    toml: '[[channels]]\nname = "ops"\ntype = "email"\nhost = "smtp.example.com"\nfrom = »"statusd"\nto = "ops@example.com"',
    says: 'channel "ops": from must be a mail address; for example ops@example.com or Operations <ops@example.com>',
  },
  {
    toml: '[[channels]]\nname = "ops"\ntype = "email"\nhost = "smtp.example.com"\nfrom = "a@example.com"\nto = ["ops@example.com", »"b@example.com\\nBcc: c@example.com"]',
    says: 'channel "ops": to[1] must not contain control codes or line breaks',
  },

  // Variables and files
  {
    toml: '[page]\ntitle = »"${TITLE"',
    says: 'page.title: holds a malformed ${…}; write ${NAME} or ${NAME:-default}; $$ is a plain $',
  },
  {
    toml: `${http}body = »"\${1}"`,
    says: 'monitor "web": body holds a malformed ${…}; write ${NAME} or ${NAME:-default}; $$ is a plain $',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = »"${TARGET}"',
    says: 'monitor "a": target must not be empty; $TARGET is not set: set it, or write the value here',
  },
  {
    toml: '[page]\ntitle = »"${TITLE}"',
    says: 'page.title: must not be empty; $TITLE is not set: set it, or write the value here',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = »"ftp://${HOST:-example.com}/"',
    says: 'monitor "a": target must be a URL with http or https; for example https://example.com/health',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = »"https://${HOST}/health"',
    says: 'monitor "a": target must name a host; $HOST is not set: set it, or write the value here',
  },
  {
    toml: '[[monitors]]\nid = "a"\ntarget = »"https:///health"',
    says: 'monitor "a": target must name a host; for example https://example.com/health',
  },
  {
    toml: '[server]\nauth_token = "a"\nauth_token_file = »"b"',
    says: 'server.auth_token_file: is set together with auth_token; keep one of the two',
  },
  {
    toml: '[server]\nauth_token_file = »"token"',
    says: 'server.auth_token_file: names "/etc/statusd/token", which does not exist',
  },
  { toml: '[server]\nauth_token_file = »5', says: 'server.auth_token_file: must be the path of a file' },
  {
    toml: '[server]\nauth_token_file = »"token"',
    files: { '/etc/statusd/token': '\n' },
    says: 'server.auth_token_file: must not be empty; is its variable set? without a token, remove the key',
  },
  {
    toml: '[server]\nauth_token_file = »"token"',
    files: { '/etc/statusd/token': new Uint8Array([0xff]) },
    says: 'server.auth_token_file: names "/etc/statusd/token", which is not a small text file',
  },
  {
    toml: '[server]\ngroup_tokens_file = »"tokens"',
    files: { '/etc/statusd/tokens': 'a = "x"\nb = x' },
    says: 'server.group_tokens_file: names "/etc/statusd/tokens", whose line 2 is not valid TOML; here should be a value',
  },
  {
    toml: '[server]\n»bind_file = "x"',
    says: 'server.bind_file: is an unknown key; only a secret can be read from a file',
  },
];

describe('a broken configuration', () => {
  for (const { toml, says, ...world } of table) {
    it(`is reported at its place: ${says.slice(0, 90)}`, async () => {
      const [before = '', after] = toml.split('»');
      assert.ok(after !== undefined, 'the case marks a place');
      const [problem, ...others] = await problemsOf(before + after, world);
      assert.ok(problem !== undefined);
      assert.equal(sentence(problem), says);
      const lines = before.split('\n');
      assert.deepEqual(
        { line: problem.line, column: problem.column, file: problem.file },
        { line: lines.length, column: (lines.at(-1) ?? '').length + 1, file: '/etc/statusd/statusd.toml' },
      );
      assert.deepEqual(others.map(sentence), []);
    });
  }
});

describe('a monitor with host and port as keys of their own', () => {
  for (const [keys, target] of [
    ['kind = "tcp"\nhost = "mail.test"\nport = 25', 'mail.test:25'],
    ['kind = "tcp"\nhostname = "fd00::1"\nport = "25"', '[fd00::1]:25'],
    ['host = "www.test"\nport = 8443', 'https://www.test:8443'],
  ] as const)
    it(`is told its target: ${target}`, async () => {
      const problems = (await problemsOf(`[[monitors]]\nid = "m"\n${keys}`)).map(sentence);
      const cure = `is an unknown key; the port is part of the target: target = "${target}"`;
      assert.equal(problems.filter((problem) => problem.endsWith(cure)).length, 2, problems.join('\n'));
    });
});

describe('a key that every object of JavaScript inherits', () => {
  for (const key of ['__proto__', 'constructor', '__proto___file', 'toString_file'])
    it(`is an unknown key: ${key}`, async () => {
      const problems = (await problemsOf(`${http}${key} = 1`)).map(sentence);
      assert.deepEqual(problems, [`monitor "web": ${key} is an unknown key; statusd.toml(5) lists the keys`]);
    });
});
