/** The file that `statusd test --example` prints: every part of the format, explained. */

export const exampleFile = `# Alert tests for statusd. Run them with: statusd test FILE

# The tests use the configuration in this file. To test your own, remove the four
# tables below and name it instead, relative to this file:
#
#   config = "statusd.toml"

[alerts]
fail_threshold = 3
group_window_secs = 30

[[channels]]
name = "ops"
type = "ntfy"
url = "https://ntfy.example.com/ops"      # nothing is sent

[[monitors]]
id = "db"
kind = "tcp"
target = "db.example.com:5432"

[[monitors]]
id = "api"
target = "https://api.example.com/"
degraded_over_ms = 500
depends_on = ["db"]

# A series says what a monitor is like, from the start on, one word a check:
#   up        healthy; up(120) in 120 ms
#   slow      it answers, over degraded_over_ms; slow(900) in 900 ms
#   degraded  it answers with a warning of its own
#   down      it does not answer as expected
#   timeout   its host cannot be reached
#   unknown   this node could not ask; unknown(resolver), because no name server answers
#   -         no check, no heartbeat
# Words are separated by commas. x3 after a word means three checks, "for 10m" as many as
# fit into ten minutes. The last word lasts on. A monitor without a series is up.

[[tests]]
name = "an outage is notified after the window, and so is its end"
series.api = "up, down x5, up"

[[tests.expect]]
at = "1m"                  # from the start of the test
monitor = "api"
status = "degraded"        # the first failure shows, and nobody is notified
incident = false

[[tests.expect]]
at = "3m30s"               # the third failure at 3m confirms it, 30 s are the window
channel = "ops"            # may be left out when there is one
event = "down"
monitor = "api"

[[tests.expect]]
at = "6m"
event = "recovered"
monitor = "api"

# Every message has to be expected: one more is a failure, like one that is missing.

[[tests]]
name = "a flap wakes nobody"
series.api = "up, down x3, up"
settings.alerts.group_window_secs = 90     # settings that differ in this test

[[tests.expect]]
nothing = true

[[tests]]
name = "a cascade is one message that names what it took along"
series.db = "up, timeout x5, up"
series.api = "up, down x5, up"

[[tests.expect]]
between = ["3m30s", "4m"]
event = "down"
monitor = "db"
impacted = ["api"]

[[tests.expect]]
between = ["6m", "6m30s"]
event = "recovered"
monitor = "db"

[[tests]]
name = "a silence holds messages back until it ends"
start = "2026-03-01T09:00:00Z"             # the clock when the test starts
until = "45m"                              # how long it lasts
series.api = "up, down x15, up"

# Other events: acknowledge = "api", clear_silences = true, restart = true (with for: it is away that long),
# reload = { alerts = { fail_threshold = 1 } }, channel_fails = "ops" with for.
[[tests.events]]
at = "2m"
silence = "api"                            # one, several, or "all"
for = "10m"

[[tests.expect]]
at = "12m"                                 # still down, so it is notified now
event = "down"
monitor = "api"

[[tests.expect]]
at = "16m"
event = "recovered"
monitor = "api"

[[tests]]
name = "an outage of the night waits for the morning, and is not repeated once acknowledged"
start = "2026-03-01T06:50:00Z"
until = "2h"
series.api = "up, down x90, up"
# Settings may be whole lists: the channel with other settings, in this test.
settings.channels = [{ name = "ops", type = "ntfy", url = "https://ntfy.example.com/ops", quiet_hours = "22:00-07:00", repeat_every_secs = 1800 }]

[[tests.events]]
at = "1h"
acknowledge = "api"

[[tests.expect]]
at = "10m"                                 # 07:00, when the quiet hours end
event = "down"
monitor = "api"

[[tests.expect]]
at = "40m"                                 # the only one: from 1h on someone is working on it
event = "reminder"
monitor = "api"

[[tests.expect]]
at = "1h31m"
event = "recovered"
monitor = "api"
`;
