# Reads Windows' own GPU counters for gputaskman in WSL. One JSON line a second (docs/wsl.md), in
# ASCII. Ends when its standard input closes or a write fails. Changes nothing.
$mode = "$($ExecutionContext.SessionState.LanguageMode)"
$source = @'
using System; using System.Collections.Generic; using System.Diagnostics; using System.Globalization;
using System.IO; using System.Runtime.InteropServices; using System.Text; using System.Threading; using Microsoft.Win32;
public static class GpuCounters {
  [DllImport("pdh.dll", CharSet = CharSet.Unicode)] static extern uint PdhOpenQueryW(IntPtr source, IntPtr user, out IntPtr query);
  [DllImport("pdh.dll", CharSet = CharSet.Unicode)] static extern uint PdhAddEnglishCounterW(IntPtr query, string path, IntPtr user, out IntPtr counter);
  [DllImport("pdh.dll")] static extern uint PdhCollectQueryData(IntPtr query);
  [DllImport("pdh.dll")] static extern uint PdhGetFormattedCounterArrayW(IntPtr counter, uint format, ref uint size, ref uint count, IntPtr buffer);
  const uint MoreData = 0x800007D2, NoData = 0x800007D5, NoInstance = 0x800007D1;
  static Stream output = Console.OpenStandardOutput();
  static IntPtr buffer = IntPtr.Zero; static uint room = 0;
  static HashSet<long> pids = new HashSet<long>();

  static void Say(StringBuilder line) {
    byte[] bytes = Encoding.ASCII.GetBytes(line.Append('\n').ToString());
    output.Write(bytes, 0, bytes.Length); output.Flush();
  }
  static void Quote(StringBuilder line, string text) {
    line.Append('"');
    foreach (char c in text)
      if (c == '"' || c == '\\') line.Append('\\').Append(c);
      else if (c < ' ' || c > '~') line.Append("\\u").Append(((int)c).ToString("x4"));
      else line.Append(c);
    line.Append('"');
  }
  static void Error(string where, uint code, string text) {
    StringBuilder line = new StringBuilder("{\"event\":\"error\",\"where\":"); Quote(line, where);
    line.Append(",\"code\":\"0x").Append(code.ToString("X8")).Append("\",\"text\":"); Quote(line, text); Say(line.Append('}'));
  }
  static void Remember(string name) {
    long pid; int end = name.IndexOf("_luid", StringComparison.OrdinalIgnoreCase);
    if (end > 4 && name.StartsWith("pid_", StringComparison.OrdinalIgnoreCase) && long.TryParse(name.Substring(4, end - 4), out pid)) pids.Add(pid);
  }
  // The array of one counter as [["instance", value], ...]; null where it cannot be read.
  static string Read(IntPtr counter, bool isLoad) {
    uint format = isLoad ? 0x200u | 0x8000u : 0x400u, size = 0, count = 0, status = MoreData;
    if (counter == IntPtr.Zero) return "null";
    for (int attempt = 0; attempt < 6 && status == MoreData; attempt++) {
      size = room;
      status = PdhGetFormattedCounterArrayW(counter, format, ref size, ref count, buffer);
      if (status != MoreData || size > 64u << 20) break;
      size = 0; PdhGetFormattedCounterArrayW(counter, format, ref size, ref count, IntPtr.Zero);
      if (buffer != IntPtr.Zero) Marshal.FreeHGlobal(buffer);
      room = size + size / 4 + 4096; buffer = Marshal.AllocHGlobal((int)room);
    }
    if (status == NoData || status == NoInstance) return "[]";
    if (status != 0) return "null";
    StringBuilder list = new StringBuilder("[");
    for (int i = 0; i < count; i++) {
      IntPtr item = new IntPtr(buffer.ToInt64() + 24L * i);
      string name = Marshal.PtrToStringUni(Marshal.ReadIntPtr(item));
      uint state = (uint)Marshal.ReadInt32(item, 8); long bits = Marshal.ReadInt64(item, 16);
      Remember(name); list.Append(i > 0 ? ",[" : "["); Quote(list, name);
      double load = BitConverter.Int64BitsToDouble(bits);
      if (state > 1 || isLoad && (double.IsNaN(load) || double.IsInfinity(load))) list.Append(",null]");
      else list.Append(',').Append(isLoad ? load.ToString("R", CultureInfo.InvariantCulture) : bits.ToString(CultureInfo.InvariantCulture)).Append(']');
    }
    return list.Append(']').ToString();
  }
  static void Processes(StringBuilder line) {
    DateTime epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc); bool first = true;
    foreach (Process process in Process.GetProcesses()) using (process) {
      string name, started = "null";
      try { name = process.ProcessName; } catch { continue; } // it has just ended
      if (!pids.Contains(process.Id) && name != "vmwp") continue;
      try { started = (process.StartTime.ToUniversalTime() - epoch).TotalSeconds.ToString("F6", CultureInfo.InvariantCulture); } catch { }
      line.Append(first ? "[" : ",[").Append(process.Id).Append(','); Quote(line, name);
      line.Append(',').Append(started).Append(']'); first = false;
    }
  }
  static long Number(RegistryKey key, string name) { object value = key.GetValue(name); return value is long ? (long)value : value is int ? (uint)(int)value : 0; }
  // The adapters as Windows has them noted; of two with one LUID (one is of an earlier start) the one that was seen last.
  static void Adapters(StringBuilder line) {
    Dictionary<long, string> found = new Dictionary<long, string>(); Dictionary<long, long> seen = new Dictionary<long, long>();
    try {
      using (RegistryKey all = Registry.LocalMachine.OpenSubKey("SOFTWARE\\Microsoft\\DirectX")) foreach (string name in all.GetSubKeyNames()) using (RegistryKey key = all.OpenSubKey(name)) {
        long luid = Number(key, "AdapterLuid"), last = Number(key, "LastSeen"), before;
        if (luid == 0 || seen.TryGetValue(luid, out before) && before > last) continue;
        StringBuilder one = new StringBuilder("{\"luid\":\"0x").Append((luid >> 32).ToString("X8")).Append("_0x").Append((luid & 0xFFFFFFFFL).ToString("X8")).Append("\",\"name\":");
        Quote(one, Convert.ToString(key.GetValue("Description"))); one.Append(",\"vendor_id\":").Append(Number(key, "VendorId"));
        one.Append(",\"dedicated_bytes\":").Append(Number(key, "DedicatedVideoMemory") + Number(key, "DedicatedSystemMemory"));
        seen[luid] = last; found[luid] = one.Append(",\"shared_limit_bytes\":").Append(Number(key, "SharedSystemMemory")).Append('}').ToString();
      }
    } catch { } // they are paired by what they use then
    line.Append('['); bool first = true;
    foreach (string one in found.Values) { line.Append(first ? "" : ",").Append(one); first = false; }
    line.Append(']');
  }
  static void Hello(string windows, string mode) {
    StringBuilder line = new StringBuilder("{\"event\":\"hello\",\"format\":1,\"language_mode\":"); Quote(line, mode);
    line.Append(",\"windows\":"); Quote(line, windows); line.Append(",\"adapters\":"); Adapters(line); Say(line.Append('}'));
  }
  public static void Run(string windows, string mode) {
    string[] paths = { "\\GPU Process Memory(*)\\Local Usage", "\\GPU Process Memory(*)\\Non Local Usage", "\\GPU Process Memory(*)\\Total Committed",
      "\\GPU Adapter Memory(*)\\Dedicated Usage", "\\GPU Adapter Memory(*)\\Shared Usage", "\\GPU Engine(*)\\Utilization Percentage" };
    IntPtr query; IntPtr[] counters = new IntPtr[paths.Length];
    Thread closing = new Thread(delegate() { Stream input = Console.OpenStandardInput(); byte[] some = new byte[256]; try { while (input.Read(some, 0, some.Length) > 0) { } } catch { } Environment.Exit(0); });
    closing.IsBackground = true; closing.Start();
    StringBuilder line;
    Hello(windows, mode);
    uint status = PdhOpenQueryW(IntPtr.Zero, IntPtr.Zero, out query);
    if (status != 0) { Error("PdhOpenQuery", status, "the performance counters cannot be opened"); return; }
    for (int i = 0; i < paths.Length; i++) {
      status = PdhAddEnglishCounterW(query, paths[i], IntPtr.Zero, out counters[i]);
      if (status == 0) continue;
      counters[i] = IntPtr.Zero; Error(paths[i], status, "Windows has no such counter (1709 and later with a WDDM 2 driver have)");
      if (i == 0) { paths[0] = "\\GPU Process Memory(*)\\Dedicated Usage"; if (PdhAddEnglishCounterW(query, paths[0], IntPtr.Zero, out counters[0]) != 0) counters[0] = IntPtr.Zero; }
    }
    Stopwatch clock = Stopwatch.StartNew();
    for (long number = 0; ; number++) {
      if (number % 60 == 59) Hello(windows, mode); // their LUIDs change with the driver
      PdhCollectQueryData(query); pids.Clear();
      line = new StringBuilder("{\"t\":").Append((clock.ElapsedMilliseconds / 1000.0).ToString("F3", CultureInfo.InvariantCulture)).Append(",\"pdh\":{");
      for (int i = 0; i < paths.Length; i++) { if (i > 0) line.Append(','); Quote(line, paths[i]); line.Append(':').Append(Read(counters[i], i == paths.Length - 1)); }
      line.Append("},\"processes\":["); Processes(line); Say(line.Append("]}"));
      long left = (number + 1) * 1000 - clock.ElapsedMilliseconds;
      if (left > 0) Thread.Sleep((int)left); else number = clock.ElapsedMilliseconds / 1000;
    }
  }
}
'@
function Say-Event([string]$kind, [string]$text) {
  Write-Output ('{"event":"' + $kind + '","text":"' + (($text -replace '[^ -~]', '?') -replace '["\\]', '') + '"}')
}
# Where no class may be made (Constrained Language Mode) or the compiler is blocked: the same lines from Get-Counter, which is slower
# and knows the counters by their English names only. Nothing here but cmdlets, operators and properties, as that mode permits.
function Read-Slowly([string]$why) {
  $paths = 'Process Memory(*)\Local Usage', 'Process Memory(*)\Non Local Usage', 'Process Memory(*)\Total Committed', 'Adapter Memory(*)\Dedicated Usage',
    'Adapter Memory(*)\Shared Usage', 'Engine(*)\Utilization Percentage' | ForEach-Object { '\GPU ' + $_ }
  Say-Event 'error' "the fast way is closed ($why): Get-Counter is used"
  $begun = Get-Date
  for ($number = 1; $number -le 300; $number++) {  # nothing tells this mode that nobody listens any more: it ends by itself
    $lists = @{}; $pids = @{}
    foreach ($item in (Get-Counter -Counter $paths -ErrorAction SilentlyContinue -ErrorVariable failure).CounterSamples) {
      if ($item.Path -notmatch '^\\\\[^\\]*\\(gpu [a-z ]+)\((.*)\)\\([a-z ]+)$') { continue }
      $key = '\' + $Matches[1] + '(*)\' + $Matches[3]; $instance = $Matches[2] -replace '[^ -~]', '?' -replace '["\\]', ''
      if ($instance -match '^pid_(\d+)_') { $pids[$Matches[1]] = $true }
      $value = [string]$item.CookedValue; if ($item.Status -gt 1 -or $value -notmatch '^[-+.0-9E]+$') { $value = 'null' }
      $lists[$key] += @('["' + $instance + '",' + $value + ']')
    }
    if ($lists.Count -eq 0) { Say-Event 'bye' "Get-Counter knows no GPU counters: $($failure[0])"; return }
    $pdh = ($lists.Keys | ForEach-Object { '"' + ($_ -replace '\\', '\\') + '":[' + ($lists[$_] -join ',') + ']' }) -join ','
    $processes = (Get-Process | Where-Object { $pids["$($_.Id)"] -or $_.ProcessName -eq 'vmwp' } | ForEach-Object {
      $started = try { [string]($_.StartTime.ToUniversalTime() - [datetime]'1970-01-01').TotalSeconds } catch { 'null' }
      '[' + $_.Id + ',"' + ($_.ProcessName -replace '[^ -~]', '?' -replace '["\\]', '') + '",' + $(if ($started) { $started } else { 'null' }) + ']' }) -join ','
    Write-Output ('{"t":' + [string]((Get-Date) - $begun).TotalSeconds + ',"pdh":{' + $pdh + '},"processes":[' + $processes + ']}')
  }
  Say-Event 'bye' 'Get-Counter has run long enough and begins anew'
}
if ($mode -ne 'FullLanguage') { Read-Slowly "$mode mode"; exit 1 }
try { Add-Type -TypeDefinition $source } catch { Read-Slowly $_.Exception.Message; exit 1 }
try { [GpuCounters]::Run([Environment]::OSVersion.Version.ToString(), $mode) } catch { Say-Event 'bye' $_.Exception.Message }
