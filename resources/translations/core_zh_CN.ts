<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
  <context>
    <name>Core</name>
    <message>
      <source> in a container</source>
      <translation>（容器内）</translation>
    </message>
    <message>
      <source>({0}) is no dtype signature of the interface</source>
      <translation>({0}) 不是接口的 dtype 组合</translation>
    </message>
    <message>
      <source>, first text after {0} s</source>
      <translation>，首字用时 {0} s</translation>
    </message>
    <message>
      <source>A bank is made of such files.</source>
      <translation>种子库由这样的文件组成。</translation>
    </message>
    <message>
      <source>A coding agent that could look at hidden cases and references wrote this run.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A diagnosis is missing: it is what is searched for.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A reason is missing.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A shell cannot be started on this computer: {0}.</source>
      <translation>本机无法启动 shell：{0}。</translation>
    </message>
    <message>
      <source>Add a folder further down, for instance docs/api.</source>
      <translation>请添加更下一级的文件夹，例如 docs/api。</translation>
    </message>
    <message>
      <source>All diagnostics of this task are used.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All look-ups of this round are used.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Answer in the form that the question wants.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Answer with the one word: ready</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Ask its administrator for a valid host certificate. To trust the key alone, take the line with @cert-authority out of known_hosts; you are then asked.</source>
      <translation>请向管理员索取有效的主机证书。若只信任该密钥，请从 known_hosts 中删除 @cert-authority 一行，之后会询问您。</translation>
    </message>
    <message>
      <source>Begin with seeds or a bank of your own from other operators.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bring it up to date with `sage workspace update`, or open it in the window.</source>
      <translation>请用 `sage workspace update` 升级，或在窗口中打开它。</translation>
    </message>
    <message>
      <source>C++ compiler</source>
      <translation>C++ 编译器</translation>
    </message>
    <message>
      <source>CANN</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>CPU twin (modelled {0})</source>
      <translation>CPU 孪生（模拟 {0}）</translation>
    </message>
    <message>
      <source>Call `evaluate` again to wait for it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Call `retrieve` with your diagnosis first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Call `task` to see what is next.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Call `task` with an operator.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Change it in that file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check ProxyJump for a circle.</source>
      <translation>请检查 ProxyJump 是否循环。</translation>
    </message>
    <message>
      <source>Check address and model; `sage model test` lists them.</source>
      <translation>请检查地址和模型；`sage model test` 可列出可用模型。</translation>
    </message>
    <message>
      <source>Check address and port, and that the machine and its SSH server run.</source>
      <translation>请检查地址和端口，并确认机器及其 SSH 服务正在运行。</translation>
    </message>
    <message>
      <source>Check its spelling, HostName in your SSH configuration, and the network.</source>
      <translation>请检查拼写、SSH 配置中的 HostName 以及网络。</translation>
    </message>
    <message>
      <source>Check that the address ends in /v1 or the like.</source>
      <translation>请检查地址是否以 /v1 之类结尾。</translation>
    </message>
    <message>
      <source>Check the address, and that the server runs.</source>
      <translation>请检查地址，并确认服务正在运行。</translation>
    </message>
    <message>
      <source>Check the address, and the version of the server.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check the address; it usually ends in /v1.</source>
      <translation>请检查地址；通常以 /v1 结尾。</translation>
    </message>
    <message>
      <source>Check the compiler.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check the disk and the folder's rights.</source>
      <translation>请检查磁盘和文件夹权限。</translation>
    </message>
    <message>
      <source>Check the disk and the folder.</source>
      <translation>请检查磁盘和文件夹。</translation>
    </message>
    <message>
      <source>Check the file.</source>
      <translation>请检查该文件。</translation>
    </message>
    <message>
      <source>Check the folder of the manual model.</source>
      <translation>请检查手工模型的文件夹。</translation>
    </message>
    <message>
      <source>Check the path, and your rights to its folder.</source>
      <translation>请检查路径，以及您对其所在文件夹的权限。</translation>
    </message>
    <message>
      <source>Check the path, or create a new workspace.</source>
      <translation>请检查路径，或创建新工作区。</translation>
    </message>
    <message>
      <source>Check the path.</source>
      <translation>请检查路径。</translation>
    </message>
    <message>
      <source>Check the reasoning parser of the server.</source>
      <translation>请检查服务器的推理解析器设置。</translation>
    </message>
    <message>
      <source>Check the spelling or remove it.</source>
      <translation>请检查拼写，或将其移除。</translation>
    </message>
    <message>
      <source>Check with `ssh {0}`; an agent (`ssh-add`) spares typing.</source>
      <translation>请用 `ssh {0}` 检查；使用代理（`ssh-add`）可免去输入。</translation>
    </message>
    <message>
      <source>Choose --method sage with the memory that method ended with, or rank a memory again with `sage memory replay --into`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose a file of text.</source>
      <translation>请选择文本文件。</translation>
    </message>
    <message>
      <source>Choose a folder on a local disk that every user may write to (mode 1777).</source>
      <translation>请选择本地磁盘上所有用户可写的目录（权限 1777）。</translation>
    </message>
    <message>
      <source>Choose a folder on a local disk.</source>
      <translation>请选择本地磁盘上的文件夹。</translation>
    </message>
    <message>
      <source>Choose a new file for the demonstration; this one was not changed.</source>
      <translation>请为演示选择新文件；此文件未被修改。</translation>
    </message>
    <message>
      <source>Choose a new folder.</source>
      <translation>请选择新文件夹。</translation>
    </message>
    <message>
      <source>Choose a new name for the bundle.</source>
      <translation>请为运行包使用新名称。</translation>
    </message>
    <message>
      <source>Choose a new name.</source>
      <translation>请使用新名称。</translation>
    </message>
    <message>
      <source>Choose a new workspace for this frozen memory.</source>
      <translation>请为此冻结记忆选择新的工作区。</translation>
    </message>
    <message>
      <source>Choose a profile, yourself, or a recorded session.</source>
      <translation>请选择模型配置、手工方式或录制的会话。</translation>
    </message>
    <message>
      <source>Choose a session file (.jsonl).</source>
      <translation>请选择会话文件 (.jsonl)。</translation>
    </message>
    <message>
      <source>Choose an operator whose run has ended.</source>
      <translation>请选择已运行结束的算子。</translation>
    </message>
    <message>
      <source>Choose another --method.</source>
      <translation>请选择其他方法。</translation>
    </message>
    <message>
      <source>Choose another destination.</source>
      <translation>请选择其他位置。</translation>
    </message>
    <message>
      <source>Choose another encoder in the settings. Until then search uses words only.</source>
      <translation>请在设置中选择其他编码器。在此之前仅按词检索。</translation>
    </message>
    <message>
      <source>Choose another file.</source>
      <translation>请选择其他文件。</translation>
    </message>
    <message>
      <source>Choose another file; this one was not touched.</source>
      <translation>请选择其他文件；此文件未被改动。</translation>
    </message>
    <message>
      <source>Choose another folder.</source>
      <translation>请选择其他文件夹。</translation>
    </message>
    <message>
      <source>Choose another text encoder.</source>
      <translation>请选择其他文本编码器。</translation>
    </message>
    <message>
      <source>Choose another.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose the log of a build or run.</source>
      <translation>请选择构建或运行的日志。</translation>
    </message>
    <message>
      <source>Choose the top of an experience library.</source>
      <translation>请选择经验库的根目录。</translation>
    </message>
    <message>
      <source>Choose two items that are in use.</source>
      <translation>请选择两条使用中的经验。</translation>
    </message>
    <message>
      <source>Choose who writes the kernels with Queue → Set Up Run.</source>
      <translation>请通过“队列 → 设置运行”选择编写核函数的模型。</translation>
    </message>
    <message>
      <source>Close its quotes.</source>
      <translation>请补全引号。</translation>
    </message>
    <message>
      <source>Close the other program first.</source>
      <translation>请先关闭另一个程序。</translation>
    </message>
    <message>
      <source>Coding agents are driven in bubblewrap only, and there is none here ({0}).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compare the fingerprint with its administrator, then trust it (`sage host trust`).</source>
      <translation>请与管理员核对指纹后再信任（`sage host trust`）。</translation>
    </message>
    <message>
      <source>Copy it to a folder of your own and open the copy.</source>
      <translation>请复制到自己的文件夹后打开副本。</translation>
    </message>
    <message>
      <source>Copy the workspace to a folder of your own.</source>
      <translation>请将工作区复制到自己的文件夹。</translation>
    </message>
    <message>
      <source>Could not read {0} because {1}.</source>
      <translation>无法读取 {0}：{1}。</translation>
    </message>
    <message>
      <source>Counting by a tokenizer file needs the package tokenizers.</source>
      <translation>按分词器文件计数需要软件包 tokenizers。</translation>
    </message>
    <message>
      <source>Cut it to the part around the failure.</source>
      <translation>请截取失败前后的部分。</translation>
    </message>
    <message>
      <source>Demote another rule first, or pin this one.</source>
      <translation>请先降级其他规则，或固定此规则。</translation>
    </message>
    <message>
      <source>Disable or archive it.</source>
      <translation>请停用或归档。</translation>
    </message>
    <message>
      <source>Dump fewer elements: the device keeps about 1 MB for each core.</source>
      <translation>请减少转储的元素：设备为每个核保留约 1 MB。</translation>
    </message>
    <message>
      <source>Each is a folder with operator.toml.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Each operator is a table, as [RmsNorm].</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Enable it first.</source>
      <translation>请先启用。</translation>
    </message>
    <message>
      <source>Episode {0} has been applied and cannot become void.</source>
      <translation>阶段 {0} 已计入，不能再作废。</translation>
    </message>
    <message>
      <source>Episode {0} has not been applied.</source>
      <translation>阶段 {0} 尚未计入。</translation>
    </message>
    <message>
      <source>Episode {0} is void and cannot be applied.</source>
      <translation>阶段 {0} 已作废，不能计入。</translation>
    </message>
    <message>
      <source>Episode {0} is {1}; its records cannot be changed.</source>
      <translation>阶段 {0} 的状态为 {1}；其记录不能更改。</translation>
    </message>
    <message>
      <source>Event {0} cannot be undone.</source>
      <translation>事件 {0} 无法撤销。</translation>
    </message>
    <message>
      <source>Event {0} is a part of event {1}.</source>
      <translation>事件 {0} 是事件 {1} 的一部分。</translation>
    </message>
    <message>
      <source>Every verdict says what held; docs/ascend.md, what to set when no device opens in it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Example: http://host:8000/v1</source>
      <translation>例如：http://host:8000/v1</translation>
    </message>
    <message>
      <source>Export it as six strings.</source>
      <translation>请导出为六段字符串。</translation>
    </message>
    <message>
      <source>Fix `{0}`, or give another: `sage host add {1} --setup "…"`.</source>
      <translation>请修正 `{0}`，或另给一个：`sage host add {1} --setup "…"`。</translation>
    </message>
    <message>
      <source>For a second layer: `apt-get install bubblewrap`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>For example: FusedAxpy.</source>
      <translation>例如：FusedAxpy。</translation>
    </message>
    <message>
      <source>Give every tensor as many dtypes as there are signatures, or one for all.</source>
      <translation>请为每个张量给出与签名数相同的 dtype，或统一给出一个。</translation>
    </message>
    <message>
      <source>Give it here or as `dtype` of the case.</source>
      <translation>请在此处给出，或作为用例的 `dtype` 给出。</translation>
    </message>
    <message>
      <source>Give sizes, counts or latencies.</source>
      <translation>请给出大小、数量或时延。</translation>
    </message>
    <message>
      <source>Give the folder of an operator project.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go on with it, or end it with `done`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go on with it: call `task`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hot memory with {0} would take {1} of {2} tokens.</source>
      <translation>加入 {0} 后热记忆将占用 {1} / {2} token。</translation>
    </message>
    <message>
      <source>Import the task again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Install OpenSSH's client on this computer.</source>
      <translation>请在本机安装 OpenSSH 客户端。</translation>
    </message>
    <message>
      <source>Install it (Debian, Ubuntu: apt install bubblewrap), or use `sage mcp` from your own agent.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Install it.</source>
      <translation>请安装。</translation>
    </message>
    <message>
      <source>Install it: `apt-get install bubblewrap`. Until then no kernel is run there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Install one: `apt-get install g++` (11 or newer) or clang (14 or newer).</source>
      <translation>请安装：`apt-get install g++`（11 或更高）或 clang（14 或更高）。</translation>
    </message>
    <message>
      <source>Install the package again, or choose another encoder. Until then search uses words only.</source>
      <translation>请重新安装该软件包，或选择其他编码器。在此之前仅按词法检索。</translation>
    </message>
    <message>
      <source>Install the toolkit, or name it: `sage host add {0} --setup "source …/set_env.sh"`.</source>
      <translation>请安装 CANN 工具包，或指定环境：`sage host add {0} --setup "source …/set_env.sh"`。</translation>
    </message>
    <message>
      <source>Install torch for it, or name another: `sage host add {0} --python /path/to/python`.</source>
      <translation>请为其安装 torch，或指定其他解释器：`sage host add {0} --python /path/to/python`。</translation>
    </message>
    <message>
      <source>Install torch-npu for {0}, of the version that goes with its torch.</source>
      <translation>请为 {0} 安装与其 torch 版本相配的 torch-npu。</translation>
    </message>
    <message>
      <source>Install {0} with pip, or choose another encoder in the settings.</source>
      <translation>请用 pip 安装 {0}，或在设置中选择其他编码器。</translation>
    </message>
    <message>
      <source>Is the driver loaded, are devices mapped in?</source>
      <translation>驱动是否已加载，设备是否已映射？</translation>
    </message>
    <message>
      <source>It has {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It is not said where {0} is served.</source>
      <translation>未说明 {0} 的服务地址。</translation>
    </message>
    <message>
      <source>It is not said which model {0} works with.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It serves: {0}.</source>
      <translation>可用模型：{0}。</translation>
    </message>
    <message>
      <source>Its SSH server needs an update.</source>
      <translation>其 SSH 服务需要更新。</translation>
    </message>
    <message>
      <source>Its log says why.</source>
      <translation>原因见其日志。</translation>
    </message>
    <message>
      <source>Its start-up files must be silent in sessions without a terminal.</source>
      <translation>在没有终端的会话中，其启动文件不得输出任何内容。</translation>
    </message>
    <message>
      <source>Known: {0}.</source>
      <translation>可用：{0}。</translation>
    </message>
    <message>
      <source>Learn beforehand only from operators the memory will not be evaluated on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Leave --memory {0}=… out.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Leave --seeds-of out.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Leave {0} out, or make another experiment with --into.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Let an operator run, then draw.</source>
      <translation>请先运行一个算子，再抽样。</translation>
    </message>
    <message>
      <source>Levels are 0 (outside the benchmark), 1, 2 and 3.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look at its log.</source>
      <translation>请查看其日志。</translation>
    </message>
    <message>
      <source>Look at its start-up files, and whether the account may run commands: `ssh HOST true`.</source>
      <translation>请检查其启动文件，以及该账户能否运行命令：`ssh HOST true`。</translation>
    </message>
    <message>
      <source>Look at that host, then try again.</source>
      <translation>请检查该主机，然后重试。</translation>
    </message>
    <message>
      <source>Look at the log of the server, and of a proxy before it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look at the model's server.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look at the server's load and log, or allow more time.</source>
      <translation>请查看服务器的负载和日志，或延长时间限制。</translation>
    </message>
    <message>
      <source>Look at the server's load and log.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Make a backup and open that.</source>
      <translation>请创建备份并打开备份。</translation>
    </message>
    <message>
      <source>Make a copy with `sage workspace backup` and begin again in a new workspace with it.</source>
      <translation>请用 `sage workspace backup` 复制一份，并在新的工作区中以该副本重新开始。</translation>
    </message>
    <message>
      <source>Make it with `sage evaluate --trace FILE`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Make it with mode 1777, or name another: `sage host add {0} --locks /path`.</source>
      <translation>请以权限 1777 创建，或指定其他目录：`sage host add {0} --locks /path`。</translation>
    </message>
    <message>
      <source>Make it, or choose another.</source>
      <translation>请创建它，或另选一个。</translation>
    </message>
    <message>
      <source>More than 4 MiB is no kernel.</source>
      <translation>超过 4 MiB 的内容不是核函数。</translation>
    </message>
    <message>
      <source>Move it away first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>NPU</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name a TOML file, or one of {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name a folder of Markdown files.</source>
      <translation>请指定一个含 Markdown 文件的文件夹。</translation>
    </message>
    <message>
      <source>Name a folder of TOML files, one such file, a session file, seeds, none, demo or evolved.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name a folder on a local disk: `sage host add {0} --base /local/…`.</source>
      <translation>请指定本地磁盘上的目录：`sage host add {0} --base /local/…`。</translation>
    </message>
    <message>
      <source>Name a new folder; an experiment goes on with `sage experiment run FOLDER`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name an empty folder with --keep.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name an operator: `task` with `operator`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name another file, or give the options it was begun with.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name exactly those, e.g. --set demo for the demonstration.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name it as acl.get_soc_name() does, e.g. Ascend910B1 or Ascend910_9382.</source>
      <translation>请使用 acl.get_soc_name() 返回的名称，例如 Ascend910B1 或 Ascend910_9382。</translation>
    </message>
    <message>
      <source>Name it as reads.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name more, or another plan.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name one name or a few words.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name one tool, and one case or none.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name one: {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name opencode, or the command of another one.</source>
      <translation>请指定 opencode，或其他代理的命令。</translation>
    </message>
    <message>
      <source>Name that memory again (sha256 {0}…), or choose another workspace.</source>
      <translation>请再次指定该记忆（sha256 {0}…），或选择其他工作区。</translation>
    </message>
    <message>
      <source>Name the cause.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name the folder that holds op_host/ and op_kernel/.</source>
      <translation>请指定包含 op_host/ 和 op_kernel/ 的文件夹。</translation>
    </message>
    <message>
      <source>Name the operator.</source>
      <translation>请指定算子。</translation>
    </message>
    <message>
      <source>No agent was named.</source>
      <translation>没有指定代理。</translation>
    </message>
    <message>
      <source>No connection to {0}: {1}.</source>
      <translation>无法连接 {0}：{1}。</translation>
    </message>
    <message>
      <source>No device of {0} can be used: {1}.</source>
      <translation>{0} 没有可用的设备：{1}。</translation>
    </message>
    <message>
      <source>No experience was adopted in a finished round yet.</source>
      <translation>已完成的轮次中尚无被采纳的经验。</translation>
    </message>
    <message>
      <source>No folder for prompts and replies was named.</source>
      <translation>没有指定存放提示和回答的文件夹。</translation>
    </message>
    <message>
      <source>No host is named.</source>
      <translation>未指定主机。</translation>
    </message>
    <message>
      <source>No kernel of that name was launched.</source>
      <translation>没有启动该名称的核函数。</translation>
    </message>
    <message>
      <source>No model was chosen.</source>
      <translation>未选择模型。</translation>
    </message>
    <message>
      <source>No model was named.</source>
      <translation>未指定模型。</translation>
    </message>
    <message>
      <source>No operator was begun.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No resident rules of this task: {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No text encoder is installed, so search uses words only.</source>
      <translation>未安装文本编码器，仅按词法检索。</translation>
    </message>
    <message>
      <source>Not installed (Debian, Ubuntu: apt install bubblewrap).</source>
      <translation>未安装（Debian、Ubuntu：apt install bubblewrap）。</translation>
    </message>
    <message>
      <source>Nothing is asked about what was learnt now.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing is in work here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing was changed. Restore a backup, or recover it with `sqlite3 FILE .recover`.</source>
      <translation>未作任何修改。请恢复备份，或用 `sqlite3 FILE .recover` 修复。</translation>
    </message>
    <message>
      <source>Nothing was changed. Restore a backup.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing was changed. `sage memory verify` lists all that is; restore a backup.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing was unpacked. Ask who sent it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Numbers of different judges are not compared.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>One is taken after every episode.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>One of them was edited since, or the prompt is of an older release: leave this round out.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only the CPU twin makes traces.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operators can be added from here; close the other program to run them here.</source>
      <translation>可以在此添加算子；若要在此运行，请关闭另一个程序。</translation>
    </message>
    <message>
      <source>Others replaced {0} {1} times meanwhile.</source>
      <translation>期间其他人已将 {0} 替换了 {1} 次。</translation>
    </message>
    <message>
      <source>Pause it first, then choose again.</source>
      <translation>请先暂停，再重新选择。</translation>
    </message>
    <message>
      <source>Put the expert's project into it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put the file itself there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put the key in the keyring.</source>
      <translation>请将密钥放入密钥环。</translation>
    </message>
    <message>
      <source>Python</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Python on {0} ended with exit code {1} and without a word.</source>
      <translation>{0} 上的 Python 没有任何输出便以退出码 {1} 结束。</translation>
    </message>
    <message>
      <source>Python {0} in {1} on {2}</source>
      <translation>Python {0}，位于 {1}（{2}）</translation>
    </message>
    <message>
      <source>Raise MaxSessions there, or close others.</source>
      <translation>请在主机上调大 MaxSessions，或关闭其他会话。</translation>
    </message>
    <message>
      <source>Record a run made in a workspace of its own.</source>
      <translation>请录制在独立工作区中完成的运行。</translation>
    </message>
    <message>
      <source>Record a run of a model, or of an agent that SAGE drives.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Record a run of one.</source>
      <translation>请录制单个算子的运行。</translation>
    </message>
    <message>
      <source>Record a run that began with fresh experiences.</source>
      <translation>请录制以全新经验开始的运行。</translation>
    </message>
    <message>
      <source>Remove one first.</source>
      <translation>请先移除一个。</translation>
    </message>
    <message>
      <source>Rename the file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rename them and export again.</source>
      <translation>请重命名后再次导出。</translation>
    </message>
    <message>
      <source>Replay one recording by itself.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Replay the workspace it came from.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rewind a kernel that passes and is timed; `sage evaluate` judges one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reword it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Round {0} was evaluated although the adoption of {1} is unresolved.</source>
      <translation>第 {0} 轮已评测，但 {1} 的采纳尚未决定。</translation>
    </message>
    <message>
      <source>Run `sage memory verify` on it.</source>
      <translation>请对其运行 `sage memory verify`。</translation>
    </message>
    <message>
      <source>Run again to let it try once more.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Run again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Run again: it goes on in this round.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Run an operator to its end first.</source>
      <translation>请先将一个算子运行到结束。</translation>
    </message>
    <message>
      <source>Run it first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Run there once: `loginctl enable-linger`.</source>
      <translation>请在主机上执行一次：`loginctl enable-linger`。</translation>
    </message>
    <message>
      <source>Save the file as UTF-8.</source>
      <translation>请将文件保存为 UTF-8。</translation>
    </message>
    <message>
      <source>Say why no further round is worth it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>See `sage references list`.</source>
      <translation>见 `sage references list`。</translation>
    </message>
    <message>
      <source>Send [{"id": …, "adopted": true, "rationale": …}].</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Send the worse kernel, or `## Done`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Set the context length in the model's profile, or serve the model with a longer one.</source>
      <translation>请在模型配置中设置上下文长度，或以更长的上下文部署模型。</translation>
    </message>
    <message>
      <source>Shorten it.</source>
      <translation>请缩短。</translation>
    </message>
    <message>
      <source>Somebody may be listening in, or the host was set up again: ask its administrator. Only then remove the old line from that file.</source>
      <translation>可能有人窃听，或主机已重新安装：请先向管理员确认，然后再从该文件删除旧行。</translation>
    </message>
    <message>
      <source>Split what was written as a rule.</source>
      <translation>只能拆分已写成规则的内容。</translation>
    </message>
    <message>
      <source>Start it there by hand: `python3 -V`.</source>
      <translation>请在该主机上手动启动：`python3 -V`。</translation>
    </message>
    <message>
      <source>State the prices.</source>
      <translation>请填写价格。</translation>
    </message>
    <message>
      <source>Step {0} could not be judged: {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopped; nothing was changed.</source>
      <translation>已停止；没有任何改动。</translation>
    </message>
    <message>
      <source>Store the right key as {0}.</source>
      <translation>请将正确的密钥保存为 {0}。</translation>
    </message>
    <message>
      <source>Take a backup of it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>That question no longer waits.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The SSH configuration of {0} cannot be read: {1}.</source>
      <translation>无法读取 {0} 的 SSH 配置：{1}。</translation>
    </message>
    <message>
      <source>The SSH configuration of {0} names the port {1}.</source>
      <translation>{0} 的 SSH 配置中端口为 {1}。</translation>
    </message>
    <message>
      <source>The answer is empty.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The arm {0} has none of the operators named.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The arm {0} of {1} has results of {2}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The backbones would begin with different memories.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The backup {0} could not be written ({1}).</source>
      <translation>备份 {0} 无法写入（{1}）。</translation>
    </message>
    <message>
      <source>The bank was edited after the session was written; write the session again.</source>
      <translation>写入会话后经验库被修改过；请重新写入会话。</translation>
    </message>
    <message>
      <source>The bank {0} was changed since; make a new experiment.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The catalogue has no operator of {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The command of the agent cannot be read ({0}).</source>
      <translation>无法解析代理的命令（{0}）。</translation>
    </message>
    <message>
      <source>The connection to {0} was closed.</source>
      <translation>到 {0} 的连接已关闭。</translation>
    </message>
    <message>
      <source>The engine has been stopped.</source>
      <translation>引擎已停止。</translation>
    </message>
    <message>
      <source>The experiences {0} do not stand in the stored prompt as they are rendered today.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The file seems to be cut off.</source>
      <translation>文件似乎不完整。</translation>
    </message>
    <message>
      <source>The host ended the session before it answered{0}.</source>
      <translation>主机在应答之前结束了会话{0}。</translation>
    </message>
    <message>
      <source>The host needs Python 3.8 or newer and a home folder that can be written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The host prints more than {0} MB at login, it ends with: {1}</source>
      <translation>主机登录时输出超过 {0} MB，结尾为：{1}</translation>
    </message>
    <message>
      <source>The job server on this computer has no pipes.</source>
      <translation>本机的管理进程没有管道。</translation>
    </message>
    <message>
      <source>The judge is still at work.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The kernels were judged differently here; look at that evaluation.</source>
      <translation>核函数在此处的评测结果不同；请查看该次评测。</translation>
    </message>
    <message>
      <source>The key of {0} is not known yet: {1} {2}.{3}</source>
      <translation>{0} 的密钥尚未确认：{1} {2}。{3}</translation>
    </message>
    <message>
      <source>The language lint did not run: {0}.</source>
      <translation>语言检查未运行：{0}。</translation>
    </message>
    <message>
      <source>The line to {0} broke while connecting: {1}.</source>
      <translation>连接 {0} 时线路中断：{1}。</translation>
    </message>
    <message>
      <source>The line to {0} broke while logging in: {1}.</source>
      <translation>登录 {0} 时线路中断：{1}。</translation>
    </message>
    <message>
      <source>The line to {0} broke: {1}.</source>
      <translation>到 {0} 的连接中断：{1}。</translation>
    </message>
    <message>
      <source>The login shell of the host ended with exit code {0} before it ran a command{1}.</source>
      <translation>主机的登录 shell 在运行命令之前以退出码 {0} 结束{1}。</translation>
    </message>
    <message>
      <source>The name {0} is not known: {1}.</source>
      <translation>无法解析名称 {0}：{1}。</translation>
    </message>
    <message>
      <source>The plan has no arm {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The plan has no backbone {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The process that checks operators ended with code {0} at {1}.</source>
      <translation>检查算子的进程在 {1} 以代码 {0} 结束。</translation>
    </message>
    <message>
      <source>The profile of {0} names no model.</source>
      <translation>{0} 的配置没有指定模型。</translation>
    </message>
    <message>
      <source>The profiler wrote nothing: look at its log.</source>
      <translation>性能分析器没有输出：请查看其日志。</translation>
    </message>
    <message>
      <source>The prompt for {0} needs about {1} tokens even when shortened; the limit is {2}.</source>
      <translation>{0} 的提示词缩短后仍约需 {1} token；上限为 {2}。</translation>
    </message>
    <message>
      <source>The prompt is longer than the context of {0}: {1}</source>
      <translation>提示词超过 {0} 的上下文长度：{1}</translation>
    </message>
    <message>
      <source>The prompt needs about {0} tokens; the context of {1} has {2}.</source>
      <translation>提示词约需 {0} token；{1} 的上下文为 {2}。</translation>
    </message>
    <message>
      <source>The prompt of round {0} of {1} is not stored.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The proxy command of {0} cannot be started: {1}.</source>
      <translation>无法启动 {0} 的代理命令：{1}。</translation>
    </message>
    <message>
      <source>The queue is running.</source>
      <translation>队列正在运行。</translation>
    </message>
    <message>
      <source>The queue of {0} is run by another process{1}.</source>
      <translation>{0} 的队列正由另一个进程运行{1}。</translation>
    </message>
    <message>
      <source>The recording ends before {0}.</source>
      <translation>录制在 {0} 之前结束。</translation>
    </message>
    <message>
      <source>The recording holds {0}; the arm {1} asks for {2} operators.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The relay of agents does not compile: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The rounds of {0} are played again; a memory has none.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The rule of {0} does not fit the token budget beside the pinned ones.</source>
      <translation>在已固定的规则之外，{0} 的规则放不进 token 预算。</translation>
    </message>
    <message>
      <source>The rules of snapshot {0} take {1} of {2} tokens today.</source>
      <translation>快照 {0} 的规则目前占用 {1} / {2} token。</translation>
    </message>
    <message>
      <source>The run began with a memory that had evidence already, which a recording does not carry.</source>
      <translation>该运行开始时记忆中已有证据，而录制不包含这些证据。</translation>
    </message>
    <message>
      <source>The run differs from the recorded one; use a model, or a recording of this version.</source>
      <translation>本次运行与录制不同；请使用模型，或此版本的录制。</translation>
    </message>
    <message>
      <source>The sanitizer did not start: look at its log.</source>
      <translation>检测工具未能启动：请查看其日志。</translation>
    </message>
    <message>
      <source>The server ended its answer after {0} characters without saying that it is complete.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The server's answer is no chat completion.</source>
      <translation>服务器的应答不是对话补全。</translation>
    </message>
    <message>
      <source>The server's answer is no chat completion: {0} is {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The text encoder {0} cannot be loaded ({1}).</source>
      <translation>文本编码器 {0} 无法加载（{1}）。</translation>
    </message>
    <message>
      <source>The way to {0} has more than {1} jumps.</source>
      <translation>到 {0} 的跳板超过 {1} 级。</translation>
    </message>
    <message>
      <source>The weights of {0} are not the published ones.</source>
      <translation>{0} 的权重与发布版本不一致。</translation>
    </message>
    <message>
      <source>The workspace has no finished trajectory.</source>
      <translation>工作区没有已完成的轨迹。</translation>
    </message>
    <message>
      <source>The workspace holds runs of {0}.</source>
      <translation>该工作区保存的是 {0} 的运行。</translation>
    </message>
    <message>
      <source>The workspace of {0} needs {1} bytes, {2} has {3}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Their numbers begin with 0.</source>
      <translation>编号从 0 开始。</translation>
    </message>
    <message>
      <source>There are {0} folders of documentation already.</source>
      <translation>已有 {0} 个文档文件夹。</translation>
    </message>
    <message>
      <source>There are {0}.</source>
      <translation>可用的有 {0}。</translation>
    </message>
    <message>
      <source>There is no audit sample {0}.</source>
      <translation>没有审计样本 {0}。</translation>
    </message>
    <message>
      <source>There is no bank {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>There is no candidate {0} in this workspace.</source>
      <translation>此工作区中没有候选 {0}。</translation>
    </message>
    <message>
      <source>There is no episode {0}.</source>
      <translation>没有阶段 {0}。</translation>
    </message>
    <message>
      <source>There is no file {0}.</source>
      <translation>没有文件 {0}。</translation>
    </message>
    <message>
      <source>There is no finished trajectory{0} in this workspace.</source>
      <translation>该工作区没有已完成的轨迹{0}。</translation>
    </message>
    <message>
      <source>There is no folder {0}.</source>
      <translation>没有文件夹 {0}。</translation>
    </message>
    <message>
      <source>There is no hot-memory snapshot {0}.</source>
      <translation>没有热记忆快照 {0}。</translation>
    </message>
    <message>
      <source>There is no memory item {0}.</source>
      <translation>没有经验 {0}。</translation>
    </message>
    <message>
      <source>There is no operator set {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>There is no plan {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>There is no program {0} on the PATH.</source>
      <translation>PATH 中没有程序 {0}。</translation>
    </message>
    <message>
      <source>There is no queue entry {0}.</source>
      <translation>队列中没有条目 {0}。</translation>
    </message>
    <message>
      <source>There is no snapshot yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>There is no tool {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>There is no toolchain called {0}.</source>
      <translation>没有名为 {0} 的工具链。</translation>
    </message>
    <message>
      <source>There is no trajectory {0}.</source>
      <translation>没有轨迹 {0}。</translation>
    </message>
    <message>
      <source>There is no workspace {0}.</source>
      <translation>没有工作区 {0}。</translation>
    </message>
    <message>
      <source>There is nothing to look up.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>There is nothing to redo.</source>
      <translation>没有可重做的操作。</translation>
    </message>
    <message>
      <source>There is nothing to undo.</source>
      <translation>没有可撤销的操作。</translation>
    </message>
    <message>
      <source>This round has not begun.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This version reads format {0}.</source>
      <translation>此版本读取格式 {0}。</translation>
    </message>
    <message>
      <source>Times of files there look odd; nothing of ours depends on them.</source>
      <translation>主机上的文件时间会显得异常；本程序不依赖这些时间。</translation>
    </message>
    <message>
      <source>Try again later.</source>
      <translation>请稍后重试。</translation>
    </message>
    <message>
      <source>Try again when it has finished.</source>
      <translation>请待其完成后重试。</translation>
    </message>
    <message>
      <source>Try it by hand.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Undo event {0}.</source>
      <translation>请撤销事件 {0}。</translation>
    </message>
    <message>
      <source>Undo the later change first.</source>
      <translation>请先撤销之后的修改。</translation>
    </message>
    <message>
      <source>Update SAGE Desktop.</source>
      <translation>请更新 SAGE Desktop。</translation>
    </message>
    <message>
      <source>Update SAGE Desktop; the file was not touched.</source>
      <translation>请更新 SAGE Desktop；文件未被改动。</translation>
    </message>
    <message>
      <source>Use --model NAME --endpoint http://host:8000/v1, --model manual:FOLDER, or --model replay:FILE.</source>
      <translation>请使用 --model NAME --endpoint http://host:8000/v1、--model manual:FOLDER 或 --model replay:FILE。</translation>
    </message>
    <message>
      <source>Use --model manual:FOLDER.</source>
      <translation>请使用 --model manual:文件夹。</translation>
    </message>
    <message>
      <source>Use `local` or a name of your SSH configuration.</source>
      <translation>请使用 `local` 或 SSH 配置中的名称。</translation>
    </message>
    <message>
      <source>Use `record_adoption` for experiences and rules. No round was used.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Use `sage memory sync`, or name a new workspace.</source>
      <translation>请使用 `sage memory sync`，或指定一个新的工作区。</translation>
    </message>
    <message>
      <source>Use a model or --model manual:FOLDER.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Use a model with a longer context, or lower the budget of hot memory.</source>
      <translation>请使用上下文更长的模型，或调低热记忆预算。</translation>
    </message>
    <message>
      <source>Use another toolchain.</source>
      <translation>请使用其他工具链。</translation>
    </message>
    <message>
      <source>Use estimate, wordpiece, file:PATH or served:MODEL@URL.</source>
      <translation>请使用 estimate、wordpiece、file:PATH 或 served:MODEL@URL。</translation>
    </message>
    <message>
      <source>Use letters, digits, dots and dashes.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Use one of {0}.</source>
      <translation>请使用 {0} 之一。</translation>
    </message>
    <message>
      <source>Use the toolchain `cann`.</source>
      <translation>请使用工具链 `cann`。</translation>
    </message>
    <message>
      <source>Verify the workspace it came from.</source>
      <translation>请校验其来源工作区。</translation>
    </message>
    <message>
      <source>Wait, or use fewer workers.</source>
      <translation>请等待，或减少并行数。</translation>
    </message>
    <message>
      <source>Waiting for you: {0}</source>
      <translation>等待您处理：{0}</translation>
    </message>
    <message>
      <source>Work needs {0} GB; free some, or set another --base.</source>
      <translation>工作需要 {0} GB；请释放空间，或设置其他 --base。</translation>
    </message>
    <message>
      <source>Write one first.</source>
      <translation>请先编写规则。</translation>
    </message>
    <message>
      <source>Write the candidate and evaluate it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>`--toolchain twin` does; on a device msprof does.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>`sage experiment new PLAN --into FOLDER` makes one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>`sage experiment new {0} --model {1} --into FOLDER` makes one for it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>`sage host release {0} {1}`</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>`sage memory sync` makes it.</source>
      <translation>`sage memory sync` 会创建它。</translation>
    </message>
    <message>
      <source>`sage model test` lists what is served.</source>
      <translation>`sage model test` 可列出可用模型。</translation>
    </message>
    <message>
      <source>`ssh -G {0}` failed: {1}.</source>
      <translation>`ssh -G {0}` 失败：{1}。</translation>
    </message>
    <message>
      <source>a correct kernel was found</source>
      <translation>已找到正确的核函数</translation>
    </message>
    <message>
      <source>a kernel compiled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>a second 'session' row</source>
      <translation>第二个 'session' 行</translation>
    </message>
    <message>
      <source>a tensor of shape {0} has no two dimensions to swap</source>
      <translation>形状为 {0} 的张量没有可交换的两个维度</translation>
    </message>
    <message>
      <source>a {0}, expected an object</source>
      <translation>是 {0}，应为对象</translation>
    </message>
    <message>
      <source>already built</source>
      <translation>已构建</translation>
    </message>
    <message>
      <source>already compiled</source>
      <translation>已编译</translation>
    </message>
    <message>
      <source>an arm reads a memory or continues it, not both</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>an operator needs at least one output</source>
      <translation>算子至少需要一个输出</translation>
    </message>
    <message>
      <source>an operator needs at least one visible case</source>
      <translation>算子至少需要一个可见用例</translation>
    </message>
    <message>
      <source>built in {0} s</source>
      <translation>构建用时 {0} s</translation>
    </message>
    <message>
      <source>cancelled by the user</source>
      <translation>已被用户取消</translation>
    </message>
    <message>
      <source>cann and cann-direct</source>
      <translation>cann 和 cann-direct</translation>
    </message>
    <message>
      <source>cann, cann-direct, cann-cpu and cann-sim</source>
      <translation>cann、cann-direct、cann-cpu 和 cann-sim</translation>
    </message>
    <message>
      <source>cann, cann-direct, cann-cpu, cann-sim</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cann-cpu, cann-sim</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cannot be read ({0})</source>
      <translation>无法读取（{0}）</translation>
    </message>
    <message>
      <source>cannot be read as Python: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cannot be read: it is not UTF-8</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cannot be read: {0}</source>
      <translation>无法读取：{0}</translation>
    </message>
    <message>
      <source>cannot be written: {0}</source>
      <translation>无法写入：{0}</translation>
    </message>
    <message>
      <source>cannot be {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>case {0} of {1}: {2} {3}</source>
      <translation>用例 {0} / {1}：{2} {3}</translation>
    </message>
    <message>
      <source>change nothing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>class {0} is not registered</source>
      <translation>类 {0} 未注册</translation>
    </message>
    <message>
      <source>clock</source>
      <translation>时钟</translation>
    </message>
    <message>
      <source>column {0} holds {1} where a number is due</source>
      <translation>列 {0} 的值为 {1}，应为数字</translation>
    </message>
    <message>
      <source>column {0} is empty</source>
      <translation>列 {0} 为空</translation>
    </message>
    <message>
      <source>compiled in {0} s</source>
      <translation>编译用时 {0} s</translation>
    </message>
    <message>
      <source>compiles the files and shows every message; nothing runs</source>
      <translation>编译文件并显示全部消息；不运行</translation>
    </message>
    <message>
      <source>compiles the files with CANN and shows every message; nothing runs</source>
      <translation>用 CANN 编译文件并显示全部消息；不运行</translation>
    </message>
    <message>
      <source>configuration</source>
      <translation>配置</translation>
    </message>
    <message>
      <source>connection</source>
      <translation>连接</translation>
    </message>
    <message>
      <source>context</source>
      <translation>上下文</translation>
    </message>
    <message>
      <source>could not be made: {0}</source>
      <translation>无法完成：{0}</translation>
    </message>
    <message>
      <source>cycles by pipe and core on one case (modelled)</source>
      <translation>一个用例上各流水、各核的周期数（建模）</translation>
    </message>
    <message>
      <source>cycles by pipe and core on one case, measured (msprof op)</source>
      <translation>一个用例上各流水、各核的周期数（实测，msprof op）</translation>
    </message>
    <message>
      <source>declares no DataType list</source>
      <translation>没有声明 DataType 列表</translation>
    </message>
    <message>
      <source>declares no type</source>
      <translation>没有声明类型</translation>
    </message>
    <message>
      <source>detached jobs</source>
      <translation>后台作业</translation>
    </message>
    <message>
      <source>device {0} reports {1}</source>
      <translation>设备 {0} 报告 {1}</translation>
    </message>
    <message>
      <source>disk</source>
      <translation>磁盘</translation>
    </message>
    <message>
      <source>does not exist</source>
      <translation>不存在</translation>
    </message>
    <message>
      <source>does not open this key</source>
      <translation>无法打开此密钥</translation>
    </message>
    <message>
      <source>driver</source>
      <translation>驱动</translation>
    </message>
    <message>
      <source>ends with an error: {0}</source>
      <translation>以错误结束：{0}</translation>
    </message>
    <message>
      <source>environment fault: {0}</source>
      <translation>环境故障：{0}</translation>
    </message>
    <message>
      <source>errors and hazards: {0}, warnings: {1}</source>
      <translation>错误和隐患：{0}，警告：{1}</translation>
    </message>
    <message>
      <source>exists already</source>
      <translation>已存在</translation>
    </message>
    <message>
      <source>exists and is not an imported task</source>
      <translation>已存在，且不是导入的任务</translation>
    </message>
    <message>
      <source>expected a list of at most 8 dimensions, found {0}</source>
      <translation>应为最多 8 维的列表，实际为 {0}</translation>
    </message>
    <message>
      <source>expected a list of tables, found {0}</source>
      <translation>应为表的列表，实际为 {0}</translation>
    </message>
    <message>
      <source>expected a list, found {0}</source>
      <translation>应为列表，实际为 {0}</translation>
    </message>
    <message>
      <source>expected a number, a truth value or a text, found {0}</source>
      <translation>应为数字、布尔值或文本，实际为 {0}</translation>
    </message>
    <message>
      <source>expected a table, found {0}</source>
      <translation>应为表，实际为 {0}</translation>
    </message>
    <message>
      <source>expected a text, found {0}</source>
      <translation>应为文本，实际为 {0}</translation>
    </message>
    <message>
      <source>expected one file, found {0}</source>
      <translation>应为一个文件，实际为 {0}</translation>
    </message>
    <message>
      <source>expected str, found {0}</source>
      <translation>应为字符串，实际为 {0}</translation>
    </message>
    <message>
      <source>expected three numbers: of prompt, cached and reply tokens, per million</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>expected {0}, found {1}</source>
      <translation>应为 {0}，实际为 {1}</translation>
    </message>
    <message>
      <source>fault</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>has more than {0} MiB, which is not read</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>has no *.toml files</source>
      <translation>没有 *.toml 文件</translation>
    </message>
    <message>
      <source>has no C++ sources in op_host or op_kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>has no dtypes in the interface</source>
      <translation>在接口中没有 dtype</translation>
    </message>
    <message>
      <source>has no effect with a frozen memory: it differs in how it learns, and would rank as SAGE does</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>has no method `forward`</source>
      <translation>没有 `forward` 方法</translation>
    </message>
    <message>
      <source>has the content of an earlier record</source>
      <translation>与之前的记录内容相同</translation>
    </message>
    <message>
      <source>has {0} cells where the header has {1}</source>
      <translation>有 {0} 个单元格，而表头有 {1} 个</translation>
    </message>
    <message>
      <source>has {0} characters of source</source>
      <translation>源码有 {0} 个字符</translation>
    </message>
    <message>
      <source>has {0} characters, at most {1} fit</source>
      <translation>有 {0} 个字符，最多 {1} 个</translation>
    </message>
    <message>
      <source>has {0} entries for {1} inputs</source>
      <translation>{1} 个输入对应了 {0} 项</translation>
    </message>
    <message>
      <source>has {0} entries where other tensors have {1}</source>
      <translation>有 {0} 项，而其他张量有 {1} 项</translation>
    </message>
    <message>
      <source>headers of the {0} side</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>holds a password</source>
      <translation>含有密码</translation>
    </message>
    <message>
      <source>holds more than {0} Markdown files or {1} MiB of them</source>
      <translation>含有超过 {0} 个 Markdown 文件或超过 {1} MiB</translation>
    </message>
    <message>
      <source>holds no .cpp file</source>
      <translation>不含 .cpp 文件</translation>
    </message>
    <message>
      <source>holds no JSON file</source>
      <translation>不含 JSON 文件</translation>
    </message>
    <message>
      <source>holds no number</source>
      <translation>不含数字</translation>
    </message>
    <message>
      <source>holds no operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>holds no {0} file</source>
      <translation>不含 {0} 文件</translation>
    </message>
    <message>
      <source>includes {0}, which includes it in turn</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is a symbolic link</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is empty</source>
      <translation>为空</translation>
    </message>
    <message>
      <source>is empty or was never written</source>
      <translation>为空或从未写入</translation>
    </message>
    <message>
      <source>is missing</source>
      <translation>缺失</translation>
    </message>
    <message>
      <source>is missing and has no default</source>
      <translation>缺失，且没有默认值</translation>
    </message>
    <message>
      <source>is missing from the candidate</source>
      <translation>候选中缺失</translation>
    </message>
    <message>
      <source>is missing from the sources</source>
      <translation>源文件中缺失</translation>
    </message>
    <message>
      <source>is missing: the table has no case</source>
      <translation>缺失：表中没有用例</translation>
    </message>
    <message>
      <source>is mostly code the expert's solution does not have</source>
      <translation>大部分代码不在专家实现中</translation>
    </message>
    <message>
      <source>is needed, or `none` with the reason, and not both</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is no attribute of this operator</source>
      <translation>不是此算子的属性</translation>
    </message>
    <message>
      <source>is no case with a list `inputs`: {0}</source>
      <translation>不是带有列表 `inputs` 的用例：{0}</translation>
    </message>
    <message>
      <source>is no expression: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is no input of this operator</source>
      <translation>不是此算子的输入</translation>
    </message>
    <message>
      <source>is no msopgen JSON with an `op`: {0}</source>
      <translation>不是带有 `op` 的 msopgen JSON：{0}</translation>
    </message>
    <message>
      <source>is no outcome of a faithfulness study ({0})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is no regular file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is no table</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is none of {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is not 1</source>
      <translation>不是 1</translation>
    </message>
    <message>
      <source>is not UTF-8</source>
      <translation>不是 UTF-8 编码</translation>
    </message>
    <message>
      <source>is not a folder</source>
      <translation>不是文件夹</translation>
    </message>
    <message>
      <source>is not a header with the column case_id</source>
      <translation>不是带有 case_id 列的表头</translation>
    </message>
    <message>
      <source>is not a known key</source>
      <translation>不是已知的键</translation>
    </message>
    <message>
      <source>is not a list of tables; write [[pattern]]</source>
      <translation>不是表的列表；请写 [[pattern]]</translation>
    </message>
    <message>
      <source>is not a parameter of the method</source>
      <translation>不是方法的参数</translation>
    </message>
    <message>
      <source>is not a parameter of this release</source>
      <translation>不是此版本的参数</translation>
    </message>
    <message>
      <source>is not a skill of SAGE</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is not a table</source>
      <translation>不是表</translation>
    </message>
    <message>
      <source>is not a tokenizer ({0})</source>
      <translation>不是分词器（{0}）</translation>
    </message>
    <message>
      <source>is not assigned a string</source>
      <translation>没有被赋予字符串</translation>
    </message>
    <message>
      <source>is not defined</source>
      <translation>未定义</translation>
    </message>
    <message>
      <source>is not defined, nor is {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is not empty</source>
      <translation>不为空</translation>
    </message>
    <message>
      <source>is not in hot memory in this episode</source>
      <translation>在此阶段不在热记忆中</translation>
    </message>
    <message>
      <source>is not in this folder</source>
      <translation>不在该文件夹中</translation>
    </message>
    <message>
      <source>is not known here</source>
      <translation>此处未知</translation>
    </message>
    <message>
      <source>is not read by this method</source>
      <translation>此方法不读取记忆</translation>
    </message>
    <message>
      <source>is not the header of an exported memory</source>
      <translation>不是导出记忆的文件头</translation>
    </message>
    <message>
      <source>is not there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is not there or no folder</source>
      <translation>不存在或不是文件夹</translation>
    </message>
    <message>
      <source>is not valid JSON: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>is not valid Python: {0}</source>
      <translation>不是有效的 Python：{0}</translation>
    </message>
    <message>
      <source>is not valid TOML: {0}</source>
      <translation>不是有效的 TOML：{0}</translation>
    </message>
    <message>
      <source>is not valid YAML: {0}</source>
      <translation>不是有效的 YAML：{0}</translation>
    </message>
    <message>
      <source>is not {0}.cpp</source>
      <translation>不是 {0}.cpp</translation>
    </message>
    <message>
      <source>is part of a registered operator, which direct launch has no place for</source>
      <translation>属于注册算子，直接启动不支持</translation>
    </message>
    <message>
      <source>it compiles and links</source>
      <translation>编译和链接通过</translation>
    </message>
    <message>
      <source>it has a header but no rows</source>
      <translation>只有表头，没有数据行</translation>
    </message>
    <message>
      <source>it has neither column 'aiv_total_cycles' nor 'aic_total_cycles'</source>
      <translation>既没有列 'aiv_total_cycles'，也没有列 'aic_total_cycles'</translation>
    </message>
    <message>
      <source>it has no column {0}</source>
      <translation>没有列 {0}</translation>
    </message>
    <message>
      <source>it holds no line of msSanitizer</source>
      <translation>没有 msSanitizer 的输出行</translation>
    </message>
    <message>
      <source>it is empty</source>
      <translation>内容为空</translation>
    </message>
    <message>
      <source>it is not 32 hexadecimal digits, so the workspace is damaged</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>it names no stop and no end</source>
      <translation>既没有停止点，也没有结束信息</translation>
    </message>
    <message>
      <source>its first line is {0}, not a log line</source>
      <translation>首行是 {0}，不是日志行</translation>
    </message>
    <message>
      <source>judging on an unseen shape, {0}: the kernel {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>launch no kernel with &lt;&lt;&lt;...&gt;&gt;&gt;</source>
      <translation>没有用 &lt;&lt;&lt;...&gt;&gt;&gt; 启动核函数</translation>
    </message>
    <message>
      <source>live</source>
      <translation>实时模型</translation>
    </message>
    <message>
      <source>lock folder</source>
      <translation>锁目录</translation>
    </message>
    <message>
      <source>login</source>
      <translation>登录</translation>
    </message>
    <message>
      <source>makes no EXEC_NPU_CMD call</source>
      <translation>没有 EXEC_NPU_CMD 调用</translation>
    </message>
    <message>
      <source>manual</source>
      <translation>手工</translation>
    </message>
    <message>
      <source>memory, queue, event and copy checks on one case, warnings included, with file and line</source>
      <translation>一个用例上的内存、队列、事件和搬运检查，含警告，带文件和行号</translation>
    </message>
    <message>
      <source>model</source>
      <translation>模型</translation>
    </message>
    <message>
      <source>more than {0} characters</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>needs exactly deny and reason</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>needs exactly the texts {0}</source>
      <translation>需要且只需要文本 {0}</translation>
    </message>
    <message>
      <source>needs the memory of another arm</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>needs the texts `path` and `content`</source>
      <translation>需要文本 `path` 和 `content`</translation>
    </message>
    <message>
      <source>neither bubblewrap nor a kernel with Landlock</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>neither g++ nor clang++ is there</source>
      <translation>没有 g++ 或 clang++</translation>
    </message>
    <message>
      <source>nests more than {0} lists or tables in each other</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no class derived from OpDef</source>
      <translation>没有从 OpDef 派生的类</translation>
    </message>
    <message>
      <source>no class derived from OpDef is defined</source>
      <translation>没有定义从 OpDef 派生的类</translation>
    </message>
    <message>
      <source>no function is bound</source>
      <translation>没有绑定函数</translation>
    </message>
    <message>
      <source>no gain in {0} rounds</source>
      <translation>连续 {0} 轮没有提升</translation>
    </message>
    <message>
      <source>no replies for {0}</source>
      <translation>没有 {0} 的回复</translation>
    </message>
    <message>
      <source>no row holds cycles of a core</source>
      <translation>没有任何一行包含核的周期数</translation>
    </message>
    <message>
      <source>no visible case is timed, so candidates could not be compared by latency</source>
      <translation>没有计时的可见用例，无法按时延比较候选</translation>
    </message>
    <message>
      <source>none is served</source>
      <translation>没有提供任何模型</translation>
    </message>
    <message>
      <source>none seen</source>
      <translation>未见</translation>
    </message>
    <message>
      <source>none: kernels run on the CPU twin, latencies are modelled</source>
      <translation>无：核函数在 CPU 孪生上运行，时延为建模值</translation>
    </message>
    <message>
      <source>not JSON: {0}</source>
      <translation>不是 JSON：{0}</translation>
    </message>
    <message>
      <source>not found in the usual places</source>
      <translation>在常见位置未找到</translation>
    </message>
    <message>
      <source>not told</source>
      <translation>未提供</translation>
    </message>
    <message>
      <source>not told; set it if requests overflow</source>
      <translation>未提供；如请求超长请自行设置</translation>
    </message>
    <message>
      <source>note</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>occurs twice</source>
      <translation>出现两次</translation>
    </message>
    <message>
      <source>ok</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>our folder</source>
      <translation>工作目录</translation>
    </message>
    <message>
      <source>preparing the CPU twin: {0} % (once per version and compiler)</source>
      <translation>正在准备 CPU 孪生：{0} %（每个版本和编译器一次）</translation>
    </message>
    <message>
      <source>reasoning</source>
      <translation>推理过程</translation>
    </message>
    <message>
      <source>recorded</source>
      <translation>录制</translation>
    </message>
    <message>
      <source>repetition {0}</source>
      <translation>第 {0} 次重复</translation>
    </message>
    <message>
      <source>reply</source>
      <translation>回复</translation>
    </message>
    <message>
      <source>results of {0} cannot be aggregated</source>
      <translation>{0} 的结果不能汇总</translation>
    </message>
    <message>
      <source>rounds are 0 or more, repeats 1 … 100</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>row {0} has no {1}</source>
      <translation>第 {0} 行没有 {1}</translation>
    </message>
    <message>
      <source>running in CANN's {0} mode</source>
      <translation>以 CANN 的 {0} 模式运行</translation>
    </message>
    <message>
      <source>running on a device</source>
      <translation>正在设备上运行</translation>
    </message>
    <message>
      <source>sandbox</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>sandbox with CANN</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>scripted</source>
      <translation>脚本</translation>
    </message>
    <message>
      <source>scripted demonstration</source>
      <translation>脚本演示</translation>
    </message>
    <message>
      <source>sees the candidate's folder and its model, nothing else</source>
      <translation>只能看到候选文件夹和它的模型</translation>
    </message>
    <message>
      <source>separate</source>
      <translation>单独返回</translation>
    </message>
    <message>
      <source>server</source>
      <translation>服务器</translation>
    </message>
    <message>
      <source>serves {0}</source>
      <translation>提供 {0}</translation>
    </message>
    <message>
      <source>set-up</source>
      <translation>环境设置</translation>
    </message>
    <message>
      <source>shows no code of the expert</source>
      <translation>没有出现专家的代码</translation>
    </message>
    <message>
      <source>special values need a floating dtype, not {0}</source>
      <translation>特殊值需要浮点 dtype，而不是 {0}</translation>
    </message>
    <message>
      <source>system</source>
      <translation>系统</translation>
    </message>
    <message>
      <source>task-submit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the budget of {0} rounds is used</source>
      <translation>{0} 轮预算已用完</translation>
    </message>
    <message>
      <source>the case name {0} is used twice</source>
      <translation>用例名称 {0} 重复</translation>
    </message>
    <message>
      <source>the file is empty</source>
      <translation>文件为空</translation>
    </message>
    <message>
      <source>the first row is {0}, expected 'session'</source>
      <translation>首行是 {0}，应为 'session'</translation>
    </message>
    <message>
      <source>the kernels that really ran on one case and their times (profiler of torch_npu)</source>
      <translation>一个用例上实际运行的核函数及其时间（torch_npu 的 profiler）</translation>
    </message>
    <message>
      <source>the limit of {0} per operator is reached ({1} spent)</source>
      <translation>已达到每个算子的费用上限 {0}（已用 {1}）</translation>
    </message>
    <message>
      <source>the limit of {0} per run is reached ({1} spent)</source>
      <translation>已达到本次运行的费用上限 {0}（已用 {1}）</translation>
    </message>
    <message>
      <source>the limit of {0} s per operator is reached ({1} s used)</source>
      <translation>已达到每个算子的时间上限 {0} s（已用 {1} s）</translation>
    </message>
    <message>
      <source>the limit of {0} s per run is reached ({1} s used)</source>
      <translation>已达到本次运行的时间上限 {0} s（已用 {1} s）</translation>
    </message>
    <message>
      <source>the limit of {0} tokens per operator is reached ({1} used)</source>
      <translation>已达到每个算子的 token 上限 {0}（已用 {1}）</translation>
    </message>
    <message>
      <source>the limit of {0} tokens per run is reached ({1} used)</source>
      <translation>已达到本次运行的 token 上限 {0}（已用 {1}）</translation>
    </message>
    <message>
      <source>the model gives up: {0}</source>
      <translation>模型放弃：{0}</translation>
    </message>
    <message>
      <source>the model is done: {0}</source>
      <translation>模型已完成：{0}</translation>
    </message>
    <message>
      <source>the name {0} is used twice</source>
      <translation>名称 {0} 重复</translation>
    </message>
    <message>
      <source>the output of msdebug</source>
      <translation>msdebug 的输出</translation>
    </message>
    <message>
      <source>the recording ends here</source>
      <translation>录制到此结束</translation>
    </message>
    <message>
      <source>the site hands out devices with {0}, which is used</source>
      <translation>站点通过 {0} 分配设备，将使用该方式</translation>
    </message>
    <message>
      <source>the system ends a user's processes with the last session (KillUserProcesses)</source>
      <translation>系统会在最后一个会话结束时终止用户进程 (KillUserProcesses)</translation>
    </message>
    <message>
      <source>the text encoder is starting again</source>
      <translation>文本编码器正在重新启动</translation>
    </message>
    <message>
      <source>the tool wrote no such file</source>
      <translation>工具没有生成该文件</translation>
    </message>
    <message>
      <source>there are no prices to count with</source>
      <translation>没有可用于计费的价格</translation>
    </message>
    <message>
      <source>there are none, or two of one name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>there is neither a `## Experience` nor the word none</source>
      <translation>既没有 `## Experience`，也没有单词 none</translation>
    </message>
    <message>
      <source>there is no `## Experience`</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>there is no `## Rule` section with a paragraph</source>
      <translation>没有带段落的 `## Rule` 部分</translation>
    </message>
    <message>
      <source>there is no `## {0}` section with a sentence</source>
      <translation>没有带句子的 `## {0}` 部分</translation>
    </message>
    <message>
      <source>there is no slice (X, or B and E) in it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>there is no such tool; there are {0}</source>
      <translation>没有这个工具；可用的有 {0}</translation>
    </message>
    <message>
      <source>there is no visible case {0}; there are {1}</source>
      <translation>没有可见用例 {0}；可用的有 {1}</translation>
    </message>
    <message>
      <source>there is none: its kernels were judged with the published seeds</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>this computer</source>
      <translation>本机</translation>
    </message>
    <message>
      <source>this system has no usable keyring: {0}</source>
      <translation>本机没有可用的密钥环：{0}</translation>
    </message>
    <message>
      <source>toolchains</source>
      <translation>工具链</translation>
    </message>
    <message>
      <source>twin, {0}</source>
      <translation>twin、{0}</translation>
    </message>
    <message>
      <source>unknown field</source>
      <translation>未知字段</translation>
    </message>
    <message>
      <source>unverified with a device</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>usage</source>
      <translation>用量</translation>
    </message>
    <message>
      <source>was not retrieved in round {0}</source>
      <translation>未在第 {0} 轮检索到</translation>
    </message>
    <message>
      <source>what CANN logs about one case (plog, from level info)</source>
      <translation>CANN 对一个用例的日志（plog，info 级别起）</translation>
    </message>
    <message>
      <source>what every pipe did and when on one case</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>what printf and DumpTensor in the kernel write on one case</source>
      <translation>核函数中 printf 和 DumpTensor 在一个用例上的输出</translation>
    </message>
    <message>
      <source>what printf, DumpTensor and DumpAccChkPoint in the kernel write on one case</source>
      <translation>核函数中 printf、DumpTensor 和 DumpAccChkPoint 在一个用例上的输出</translation>
    </message>
    <message>
      <source>where the kernel stops on one case, with the call stack (msDebug)</source>
      <translation>核函数在一个用例上停止的位置及调用栈（msDebug）</translation>
    </message>
    <message>
      <source>within {0} s of this computer</source>
      <translation>与本机相差不超过 {0} s</translation>
    </message>
    <message>
      <source>{0} (msSanitizer, on the device)</source>
      <translation>{0}（msSanitizer，在设备上）</translation>
    </message>
    <message>
      <source>{0} ({1} s)</source>
      <translation>{0}（{1} 秒）</translation>
    </message>
    <message>
      <source>{0} ({1}) cannot be reached: {2}.</source>
      <translation>无法连接 {0}（{1}）：{2}。</translation>
    </message>
    <message>
      <source>{0} ({1}) does not answer as an SSH server: {2}.</source>
      <translation>{0}（{1}）没有以 SSH 服务应答：{2}。</translation>
    </message>
    <message>
      <source>{0} GB and {1} inodes free</source>
      <translation>剩余 {0} GB、{1} 个 inode</translation>
    </message>
    <message>
      <source>{0} It is run again.</source>
      <translation>{0} 将重新运行。</translation>
    </message>
    <message>
      <source>{0} The work goes to another host.</source>
      <translation>{0} 工作转到另一台主机。</translation>
    </message>
    <message>
      <source>{0} accepted the request and then sent nothing for too long.</source>
      <translation>{0} 接受请求后长时间没有返回内容。</translation>
    </message>
    <message>
      <source>{0} and {1} have no operator in common.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} answered with something unexpected.</source>
      <translation>{0} 返回了意外的内容。</translation>
    </message>
    <message>
      <source>{0} answers without a count.</source>
      <translation>{0} 的应答中没有计数。</translation>
    </message>
    <message>
      <source>{0} appears twice</source>
      <translation>{0} 出现两次</translation>
    </message>
    <message>
      <source>{0} are not in the bank</source>
      <translation>{0} 不在经验库中</translation>
    </message>
    <message>
      <source>{0} asks about rounds again, altered; a recording answers only what it was asked.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} asks for fewer requests: {1}</source>
      <translation>{0} 要求降低请求频率：{1}</translation>
    </message>
    <message>
      <source>{0} at {1}: retrieved {2}, the recording has {3}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} at {1}: the evaluation before was {2}, the recording saw {3}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} begins with the memory of its recording, {1} with another.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} cannot be merged into {1}.</source>
      <translation>{0} 无法合并到 {1}。</translation>
    </message>
    <message>
      <source>{0} cannot be reached through its jump host: {1}.</source>
      <translation>无法通过跳板机连接 {0}：{1}。</translation>
    </message>
    <message>
      <source>{0} cannot be reached: {1}.</source>
      <translation>无法连接 {0}：{1}。</translation>
    </message>
    <message>
      <source>{0} cannot be read ({1}).</source>
      <translation>{0} 无法读取（{1}）。</translation>
    </message>
    <message>
      <source>{0} cannot be read or written ({1}).</source>
      <translation>{0} 无法读写（{1}）。</translation>
    </message>
    <message>
      <source>{0} cannot be read: {1}.</source>
      <translation>{0} 无法读取：{1}。</translation>
    </message>
    <message>
      <source>{0} cannot be run: {1}</source>
      <translation>{0} 无法运行：{1}</translation>
    </message>
    <message>
      <source>{0} cannot be used: {1}</source>
      <translation>{0} 无法使用：{1}</translation>
    </message>
    <message>
      <source>{0} cannot be used: {1}.</source>
      <translation>{0} 无法使用：{1}。</translation>
    </message>
    <message>
      <source>{0} cannot be written.</source>
      <translation>{0} 无法写入。</translation>
    </message>
    <message>
      <source>{0} cannot be written: {1}.</source>
      <translation>{0} 无法写入：{1}。</translation>
    </message>
    <message>
      <source>{0} cannot contradict itself.</source>
      <translation>{0} 不能与自身矛盾。</translation>
    </message>
    <message>
      <source>{0} cannot run the helper program: {1}.</source>
      <translation>{0} 无法运行辅助程序：{1}。</translation>
    </message>
    <message>
      <source>{0} changed while it was read.</source>
      <translation>{0} 在读取期间被更改。</translation>
    </message>
    <message>
      <source>{0} characters, at most {1} fit</source>
      <translation>{0} 个字符，最多 {1} 个</translation>
    </message>
    <message>
      <source>{0} could not be written ({1}).</source>
      <translation>{0} 无法写入（{1}）。</translation>
    </message>
    <message>
      <source>{0} counted more than once</source>
      <translation>{0} 被重复计数</translation>
    </message>
    <message>
      <source>{0} devices on {1} cards: {2}</source>
      <translation>{0} 个设备，{1} 张卡：{2}</translation>
    </message>
    <message>
      <source>{0} does not come to an end: more than {1} requests in one turn.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} does not count tokens: {1}.</source>
      <translation>{0} 无法统计 token：{1}。</translation>
    </message>
    <message>
      <source>{0} does not exist</source>
      <translation>{0} 不存在</translation>
    </message>
    <message>
      <source>{0} does not fit the interface</source>
      <translation>{0} 与接口不符</translation>
    </message>
    <message>
      <source>{0} does not give one value for each of {1} elements</source>
      <translation>{0} 没有为 {1} 个元素各给出一个值</translation>
    </message>
    <message>
      <source>{0} does not hold what a bundle does: {1}.</source>
      <translation>{0} 的内容不是运行包：{1}。</translation>
    </message>
    <message>
      <source>{0} does not know {1}: {2}</source>
      <translation>{0} 没有 {1}：{2}</translation>
    </message>
    <message>
      <source>{0} does not lie in the folder of the operator</source>
      <translation>{0} 不在算子文件夹内</translation>
    </message>
    <message>
      <source>{0} does not serve {1}.</source>
      <translation>{0} 未提供 {1}。</translation>
    </message>
    <message>
      <source>{0} ended its turn without a word ({1}).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} exists already.</source>
      <translation>{0} 已存在。</translation>
    </message>
    <message>
      <source>{0} failed with HTTP {1}: {2}</source>
      <translation>{0} 失败（HTTP {1}）：{2}</translation>
    </message>
    <message>
      <source>{0} gives no operator name</source>
      <translation>{0} 不能作为算子名称</translation>
    </message>
    <message>
      <source>{0} has a memory already.</source>
      <translation>{0} 已经有记忆。</translation>
    </message>
    <message>
      <source>{0} has been silent for {1} s.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} has its models: {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} has no NPU: {1}.</source>
      <translation>{0} 没有 NPU：{1}。</translation>
    </message>
    <message>
      <source>{0} has no diagnostics.</source>
      <translation>{0} 没有诊断工具。</translation>
    </message>
    <message>
      <source>{0} has no memory of its own to doubt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} has no rule of its own.</source>
      <translation>{0} 没有自己的规则。</translation>
    </message>
    <message>
      <source>{0} has no rule yet.</source>
      <translation>{0} 尚无规则。</translation>
    </message>
    <message>
      <source>{0} has no visible case {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} has {1} MiB, more than the {2} MiB that are read.</source>
      <translation>{0} 有 {1} MiB，超过可读取的 {2} MiB。</translation>
    </message>
    <message>
      <source>{0} holds a part of a run, not the whole log.</source>
      <translation>{0} 只保存了运行的一部分，不是完整记录。</translation>
    </message>
    <message>
      <source>{0} holds a part of a run: its traces do not say how its utilities came about.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} holds no experiment.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} holds results for the frozen memory {1}.</source>
      <translation>{0} 保存的是冻结记忆 {1} 的结果。</translation>
    </message>
    <message>
      <source>{0} holds results for {1}.</source>
      <translation>{0} 保存的是 {1} 的结果。</translation>
    </message>
    <message>
      <source>{0} holds rows that do not fit together ({1}).</source>
      <translation>{0} 中的行互不一致（{1}）。</translation>
    </message>
    <message>
      <source>{0} holds the outcomes of another study: {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} in {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} in {1} s{2}</source>
      <translation>{0}，用时 {1} 秒{2}</translation>
    </message>
    <message>
      <source>{0} in, {1} out, cached: {2}</source>
      <translation>输入 {0}，输出 {1}，缓存：{2}</translation>
    </message>
    <message>
      <source>{0} is a database of another program.</source>
      <translation>{0} 是其他程序的数据库。</translation>
    </message>
    <message>
      <source>{0} is already the name of another experience</source>
      <translation>{0} 已是另一条经验的名称</translation>
    </message>
    <message>
      <source>{0} is an empty range</source>
      <translation>{0} 为空区间</translation>
    </message>
    <message>
      <source>{0} is an evaluation operator.</source>
      <translation>{0} 是评测用算子。</translation>
    </message>
    <message>
      <source>{0} is being written by another program.</source>
      <translation>{0} 正被另一个程序写入。</translation>
    </message>
    <message>
      <source>{0} is cut off: {1} of {2} bytes are there.</source>
      <translation>{0} 不完整：只有 {1} / {2} 字节。</translation>
    </message>
    <message>
      <source>{0} is damaged ({1}).</source>
      <translation>{0} 已损坏（{1}）。</translation>
    </message>
    <message>
      <source>{0} is damaged: its table {1} was changed so that it holds values of any type.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is damaged: {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is in use by another program and must be brought up to date.</source>
      <translation>{0} 正被另一个程序使用，且需要升级。</translation>
    </message>
    <message>
      <source>{0} is in use.</source>
      <translation>{0} 正在使用。</translation>
    </message>
    <message>
      <source>{0} is less than 1</source>
      <translation>{0} 小于 1</translation>
    </message>
    <message>
      <source>{0} is negative</source>
      <translation>{0} 为负数</translation>
    </message>
    <message>
      <source>{0} is newer than {1}</source>
      <translation>{0} 比 {1} 新</translation>
    </message>
    <message>
      <source>{0} is no HTTP address</source>
      <translation>{0} 不是 HTTP 地址</translation>
    </message>
    <message>
      <source>{0} is no arm before it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is no bundle of a run but {1}.</source>
      <translation>{0} 不是运行包，而是 {1}。</translation>
    </message>
    <message>
      <source>{0} is no bundle of a run: it has no {1}.</source>
      <translation>{0} 不是运行包：没有 {1}。</translation>
    </message>
    <message>
      <source>{0} is no device</source>
      <translation>{0} 不是设备编号</translation>
    </message>
    <message>
      <source>{0} is no file name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is no file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is no host name.</source>
      <translation>{0} 不是有效的主机名。</translation>
    </message>
    <message>
      <source>{0} is no list of objects.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is no name</source>
      <translation>{0} 不是有效的名称</translation>
    </message>
    <message>
      <source>{0} is no name of a remote host</source>
      <translation>{0} 不能作为远程主机名</translation>
    </message>
    <message>
      <source>{0} is no text.</source>
      <translation>{0} 不是文本。</translation>
    </message>
    <message>
      <source>{0} is no value for it: {1}</source>
      <translation>{0} 不是有效的值：{1}</translation>
    </message>
    <message>
      <source>{0} is no whole bundle ({1}).</source>
      <translation>{0} 不是完整的运行包（{1}）。</translation>
    </message>
    <message>
      <source>{0} is none</source>
      <translation>{0} 无效</translation>
    </message>
    <message>
      <source>{0} is none of {1}</source>
      <translation>{0} 不在 {1} 之中</translation>
    </message>
    <message>
      <source>{0} is not 1, 2 or 3</source>
      <translation>{0} 不是 1、2 或 3</translation>
    </message>
    <message>
      <source>{0} is not a PascalCase operator name</source>
      <translation>{0} 不是大驼峰形式的算子名称</translation>
    </message>
    <message>
      <source>{0} is not a SoC version</source>
      <translation>{0} 不是 SoC 型号</translation>
    </message>
    <message>
      <source>{0} is not a dimension</source>
      <translation>{0} 不是维度</translation>
    </message>
    <message>
      <source>{0} is not a field of an item</source>
      <translation>{0} 不是经验的字段</translation>
    </message>
    <message>
      <source>{0} is not a known fill</source>
      <translation>{0} 不是已知的填充方式</translation>
    </message>
    <message>
      <source>{0} is not a list of names</source>
      <translation>{0} 不是名称列表</translation>
    </message>
    <message>
      <source>{0} is not a literal</source>
      <translation>{0} 不是字面量</translation>
    </message>
    <message>
      <source>{0} is not a positive time</source>
      <translation>{0} 不是正的时间</translation>
    </message>
    <message>
      <source>{0} is not a workspace file.</source>
      <translation>{0} 不是工作区文件。</translation>
    </message>
    <message>
      <source>{0} is not a workspace of the demonstration {1}.</source>
      <translation>{0} 不是演示 {1} 的工作区。</translation>
    </message>
    <message>
      <source>{0} is not among the backbones</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is not among the {1} tasks found</source>
      <translation>{0} 不在找到的 {1} 个任务中</translation>
    </message>
    <message>
      <source>{0} is not any, kernel, host or resolved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is not between 0 and 3</source>
      <translation>{0} 不在 0 到 3 之间</translation>
    </message>
    <message>
      <source>{0} is not between {1} and {2}, both excluded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is not compared: {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is not corr or opt</source>
      <translation>{0} 不是 corr 或 opt</translation>
    </message>
    <message>
      <source>{0} is not empty.</source>
      <translation>{0} 不为空。</translation>
    </message>
    <message>
      <source>{0} is not finished.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is not modelled</source>
      <translation>没有 {0} 的模型</translation>
    </message>
    <message>
      <source>{0} is not one of {1}</source>
      <translation>{0} 不是 {1} 之一</translation>
    </message>
    <message>
      <source>{0} is not recorded or scripted</source>
      <translation>{0} 不是 recorded 或 scripted</translation>
    </message>
    <message>
      <source>{0} is not served there</source>
      <translation>该服务未提供 {0}</translation>
    </message>
    <message>
      <source>{0} is not supported</source>
      <translation>不支持 {0}</translation>
    </message>
    <message>
      <source>{0} is not the hash of the items in the file ({1})</source>
      <translation>{0} 不是文件中经验的哈希（{1}）</translation>
    </message>
    <message>
      <source>{0} is not there</source>
      <translation>{0} 不存在</translation>
    </message>
    <message>
      <source>{0} is not {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is open for reading only.</source>
      <translation>{0} 以只读方式打开。</translation>
    </message>
    <message>
      <source>{0} is outside -1 … 1</source>
      <translation>{0} 超出 -1 … 1</translation>
    </message>
    <message>
      <source>{0} is outside 1 … 100</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is outside {1} … {2}</source>
      <translation>{0} 超出 {1} … {2}</translation>
    </message>
    <message>
      <source>{0} is set aside: {1}</source>
      <translation>{0} 已停用：{1}</translation>
    </message>
    <message>
      <source>{0} is there already.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is used twice</source>
      <translation>{0} 重复使用</translation>
    </message>
    <message>
      <source>{0} is {1} already.</source>
      <translation>{0} 已处于 {1} 状态。</translation>
    </message>
    <message>
      <source>{0} is {1} and cannot be cancelled.</source>
      <translation>{0} 的状态为 {1}，无法取消。</translation>
    </message>
    <message>
      <source>{0} is {1} and cannot be resident again.</source>
      <translation>{0} 的状态为 {1}，无法重新常驻。</translation>
    </message>
    <message>
      <source>{0} is {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is {1}; nobody is asked about it.</source>
      <translation>{0} 的状态为 {1}，不需要作决定。</translation>
    </message>
    <message>
      <source>{0} is {1}; only a queued operator can be run next.</source>
      <translation>{0} 的状态为 {1}；只有排队中的算子可以设为下一个。</translation>
    </message>
    <message>
      <source>{0} learnt from {1} operators it is evaluated on: {2} …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} leaves the project</source>
      <translation>{0} 超出了工程目录</translation>
    </message>
    <message>
      <source>{0} lies on a network file system ({1}), where a workspace could be damaged.</source>
      <translation>{0} 位于网络文件系统（{1}）上，工作区可能受损。</translation>
    </message>
    <message>
      <source>{0} makes no traces.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} must not be trusted: {1}.</source>
      <translation>{0} 不可信任：{1}。</translation>
    </message>
    <message>
      <source>{0} needs the memory of {1}, which is not finished.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of them, at most {1} are taken</source>
      <translation>共 {0} 条，最多接受 {1} 条</translation>
    </message>
    <message>
      <source>{0} of {1} is set aside: {2}</source>
      <translation>{1} 的 {0} 已停用：{2}</translation>
    </message>
    <message>
      <source>{0} of {1} retrievals</source>
      <translation>{1} 次检索中的 {0} 次</translation>
    </message>
    <message>
      <source>{0} offers only outdated cryptography: {1}.</source>
      <translation>{0} 仅提供过时的加密算法：{1}。</translation>
    </message>
    <message>
      <source>{0} opens no session: {1}.</source>
      <translation>{0} 无法打开会话：{1}。</translation>
    </message>
    <message>
      <source>{0} reads or continues a memory; a recording answers to its own.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} refuses the key: {1}</source>
      <translation>{0} 拒绝了密钥：{1}</translation>
    </message>
    <message>
      <source>{0} refuses the request with HTTP {1}: {2}</source>
      <translation>{0} 拒绝了请求（HTTP {1}）：{2}</translation>
    </message>
    <message>
      <source>{0} refuses the task: {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} s {1} of this computer</source>
      <translation>与本机相差 {0} s（{1}）</translation>
    </message>
    <message>
      <source>{0} sent something that is no chat completion: {1}</source>
      <translation>{0} 返回的内容不是对话补全：{1}</translation>
    </message>
    <message>
      <source>{0} sent something that is no list of models.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} showed a key that must not be accepted: {1} {2}; {3}.</source>
      <translation>{0} 出示了不可接受的密钥：{1} {2}；{3}。</translation>
    </message>
    <message>
      <source>{0} tokens</source>
      <translation>{0} token</translation>
    </message>
    <message>
      <source>{0} took more than {1} s for one turn.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} was changed since ({1}).</source>
      <translation>{0} 此后已被修改（{1}）。</translation>
    </message>
    <message>
      <source>{0} was changed while it was read as a frozen memory.</source>
      <translation>{0} 作为冻结记忆读取期间被修改。</translation>
    </message>
    <message>
      <source>{0} was not added.</source>
      <translation>{0} 未被添加过。</translation>
    </message>
    <message>
      <source>{0} was not retrieved in this round; these were: {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} was not traced: {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} was run more than once; a recording holds one run of each operator.</source>
      <translation>{0} 运行了多次；录制中每个算子只保存一次运行。</translation>
    </message>
    <message>
      <source>{0} was written by a newer release (it has {1}).</source>
      <translation>{0} 由更新的版本写入（含 {1}）。</translation>
    </message>
    <message>
      <source>{0} was written by a newer release.</source>
      <translation>{0} 由更新的版本写入。</translation>
    </message>
    <message>
      <source>{0} was written by an older release.</source>
      <translation>{0} 由较旧的版本写入。</translation>
    </message>
    <message>
      <source>{0} was {1} {2}, {3} {4}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} with objective {1} and round {2}</source>
      <translation>{0}，目标 {1}，第 {2} 轮</translation>
    </message>
    <message>
      <source>{0} would begin with another memory than the experiment.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} {1} has no torch, which computes the expected results</source>
      <translation>{0} {1} 没有安装 torch，无法计算期望结果</translation>
    </message>
    <message>
      <source>{0} {1} is no diagnostic.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}, kernel {1}, {2}{3}; {4} CPUs, {5} GB, load {6}</source>
      <translation>{0}，内核 {1}，{2}{3}；{4} 个 CPU，{5} GB，负载 {6}</translation>
    </message>
    <message>
      <source>{0}, shared by all users</source>
      <translation>{0}，由所有用户共用</translation>
    </message>
    <message>
      <source>{0}, this version reads {1}</source>
      <translation>{0}，此版本读取 {1}</translation>
    </message>
    <message>
      <source>{0}, which is slow and may lose locks</source>
      <translation>{0}，速度慢且可能丢失锁</translation>
    </message>
    <message>
      <source>{0}: errors and hazards: {1}, warnings and notes: {2}</source>
      <translation>{0}：错误和隐患 {1}，警告和提示 {2}</translation>
    </message>
    <message>
      <source>{0}: give `adopted` as true or false, and a rationale.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}: it has no {1} reply (attempt {2}) for {3}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}: it retrieves {1}, which is resident in hot memory here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}: nothing was printed</source>
      <translation>{0}：没有输出</translation>
    </message>
    <message>
      <source>{0}: {1} has sha256 {2}…, its manifest says {3}….</source>
      <translation>{0}：{1} 的 sha256 为 {2}…，清单中为 {3}…。</translation>
    </message>
    <message>
      <source>{0}: {1} has {2} bytes, its manifest says {3}.</source>
      <translation>{0}：{1} 有 {2} 字节，清单中为 {3}。</translation>
    </message>
    <message>
      <source>{0}: {1} is larger than any report.</source>
      <translation>{0}：{1} 大于任何报告。</translation>
    </message>
    <message>
      <source>{0}: {1} is no text ({2}).</source>
      <translation>{0}：{1} 不是文本（{2}）。</translation>
    </message>
    <message>
      <source>{0}: {1} would grow from {2} to {3} bytes, which no run does.</source>
      <translation type="unfinished" />
    </message>
  </context>
</TS>
