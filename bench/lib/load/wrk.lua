-- Run by wrk (see wrk.ts). Arguments: file of bodies (one per line), API key ("" for none), seconds of load, length of
-- a bin in milliseconds.
--
-- After the seconds of load no connection sends another request. The rest of wrk's own duration is for the last
-- answers, so that every request sent is counted with its answer.

local ffi = require("ffi")
ffi.cdef[[
  typedef struct { long seconds; long nanoseconds; } bench_time;
  int clock_gettime(int clock, bench_time *time);
]]
local REALTIME = 0
local time = ffi.new("bench_time")

local function now_ms()
  ffi.C.clock_gettime(REALTIME, time)
  return tonumber(time.seconds) * 1000 + tonumber(time.nanoseconds) / 1e6
end

local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

-- Globals, as `done` reads them from each thread.
sent = 0
bins = {}
started_ms = 0

local requests = {}
local turn = 0
local load_ms, bin_ms, ends_ms

function init(arguments)
  load_ms = tonumber(arguments[3]) * 1000
  bin_ms = tonumber(arguments[4])
  local headers = { ["Content-Type"] = "application/json" }
  if arguments[2] ~= "" then headers["X-API-Key"] = arguments[2] end
  for body in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
  -- Threads begin at different bodies.
  math.randomseed(tonumber(tostring(threads):match("0x(%x+)"), 16) or 1)
  turn = math.random(#requests)
end

function request()
  local now = now_ms()
  if not ends_ms then
    started_ms = now
    ends_ms = now + load_ms
  end
  if now >= ends_ms then return "" end
  sent = sent + 1
  local bin = math.floor((now - started_ms) / bin_ms) + 1
  bins[bin] = (bins[bin] or 0) + 1
  turn = turn % #requests + 1
  return requests[turn]
end

local function join(values)
  return "[" .. table.concat(values, ",") .. "]"
end

-- One line of JSON: {sent, answered, started_ms, bins, points: [[share, microseconds]...], max_us, errors}
function done(summary, latency, _)
  -- wrk asks the first thread for one request before it starts, and sends it nowhere: one less.
  local all_sent, all_bins, started = -1, { -1 }, math.huge
  for _, thread in ipairs(threads) do
    all_sent = all_sent + thread:get("sent")
    started = math.min(started, thread:get("started_ms"))
    for bin, count in pairs(thread:get("bins")) do
      while #all_bins < bin do all_bins[#all_bins + 1] = 0 end
      all_bins[bin] = all_bins[bin] + count
    end
  end
  local points = {}
  for share in wrk_shares():gmatch("[%d.]+") do
    points[#points + 1] = string.format("[%s,%d]", share, latency:percentile(tonumber(share) * 100))
  end
  local e = summary.errors
  io.write(string.format(
    '\nRESULT {"sent":%d,"answered":%d,"started_ms":%.0f,"bins":%s,"points":%s,"max_us":%d,' ..
    '"errors":{"status":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}}\n',
    all_sent, summary.requests, started, join(all_bins), join(points), latency.max,
    e.status, e.connect, e.read, e.write, e.timeout))
end

function wrk_shares()
  return os.getenv("BENCH_LATENCY_SHARES") or "0.5 0.99"
end
