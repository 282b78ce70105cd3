// Every op that the language has of arith, math, scf, memref, vector and func; ops.printed is what mlir-opt makes of it.
func.func @constants() {
  %a = arith.constant 1.0 : f32
  %b = arith.constant 0.1 : f64
  %c = arith.constant -7 : i32
  %d = arith.constant -1 : index
  %e = arith.constant true
  %f = arith.constant false
  %g = arith.constant dense<1.5> : vector<8x16xf32>
  %h = arith.constant dense<true> : vector<8xi1>
  %i = arith.constant 0x7F800000 : f32
  %j = arith.constant dense<0x7FC00000> : vector<8xf32>
  %k = arith.constant 1.0e30 : f32
  %l = arith.constant dense<-3> : vector<2xi8>
  %m = arith.constant 1.0 : bf16
  %n = arith.constant 1.0 : f8E4M3FN
  %o = arith.constant 1.0 : f8E5M2
  %p = arith.constant 1.0 : tf32
  %q = arith.constant -0.0 : f16
  %r = arith.constant 0xFC00 : f16
  %s = arith.constant 42 : index
  %t = arith.constant 255 : i16
  %u = arith.addi %c, %c : i32
  %w = arith.addi %d, %s : index
  return
}
func.func @integers(%i: i32, %vi: vector<4x8xi32>, %n: index) {
  %r1 = arith.addi %i, %i : i32
  %r2 = arith.addi %vi, %vi : vector<4x8xi32>
  %r3 = arith.addi %n, %n : index
  %r4 = arith.subi %i, %i : i32
  %r5 = arith.subi %vi, %vi : vector<4x8xi32>
  %r6 = arith.subi %n, %n : index
  %r7 = arith.muli %i, %i : i32
  %r8 = arith.muli %vi, %vi : vector<4x8xi32>
  %r9 = arith.muli %n, %n : index
  %r10 = arith.divsi %i, %i : i32
  %r11 = arith.divsi %vi, %vi : vector<4x8xi32>
  %r12 = arith.divsi %n, %n : index
  %r13 = arith.divui %i, %i : i32
  %r14 = arith.divui %vi, %vi : vector<4x8xi32>
  %r15 = arith.divui %n, %n : index
  %r16 = arith.remsi %i, %i : i32
  %r17 = arith.remsi %vi, %vi : vector<4x8xi32>
  %r18 = arith.remsi %n, %n : index
  %r19 = arith.remui %i, %i : i32
  %r20 = arith.remui %vi, %vi : vector<4x8xi32>
  %r21 = arith.remui %n, %n : index
  %r22 = arith.andi %i, %i : i32
  %r23 = arith.andi %vi, %vi : vector<4x8xi32>
  %r24 = arith.andi %n, %n : index
  %r25 = arith.ori %i, %i : i32
  %r26 = arith.ori %vi, %vi : vector<4x8xi32>
  %r27 = arith.ori %n, %n : index
  %r28 = arith.xori %i, %i : i32
  %r29 = arith.xori %vi, %vi : vector<4x8xi32>
  %r30 = arith.xori %n, %n : index
  %r31 = arith.shli %i, %i : i32
  %r32 = arith.shli %vi, %vi : vector<4x8xi32>
  %r33 = arith.shli %n, %n : index
  %r34 = arith.shrsi %i, %i : i32
  %r35 = arith.shrsi %vi, %vi : vector<4x8xi32>
  %r36 = arith.shrsi %n, %n : index
  %r37 = arith.shrui %i, %i : i32
  %r38 = arith.shrui %vi, %vi : vector<4x8xi32>
  %r39 = arith.shrui %n, %n : index
  %r40 = arith.minsi %i, %i : i32
  %r41 = arith.minsi %vi, %vi : vector<4x8xi32>
  %r42 = arith.minsi %n, %n : index
  %r43 = arith.maxsi %i, %i : i32
  %r44 = arith.maxsi %vi, %vi : vector<4x8xi32>
  %r45 = arith.maxsi %n, %n : index
  %r46 = arith.minui %i, %i : i32
  %r47 = arith.minui %vi, %vi : vector<4x8xi32>
  %r48 = arith.minui %n, %n : index
  %r49 = arith.maxui %i, %i : i32
  %r50 = arith.maxui %vi, %vi : vector<4x8xi32>
  %r51 = arith.maxui %n, %n : index
  %r52 = arith.ceildivsi %i, %i : i32
  %r53 = arith.ceildivsi %vi, %vi : vector<4x8xi32>
  %r54 = arith.ceildivsi %n, %n : index
  %r55 = arith.ceildivui %i, %i : i32
  %r56 = arith.ceildivui %vi, %vi : vector<4x8xi32>
  %r57 = arith.ceildivui %n, %n : index
  %r58 = arith.floordivsi %i, %i : i32
  %r59 = arith.floordivsi %vi, %vi : vector<4x8xi32>
  %r60 = arith.floordivsi %n, %n : index
  return
}
func.func @floats(%x: f32, %vx: vector<4x8xf16>) {
  %r61 = arith.addf %x, %x : f32
  %r62 = arith.addf %vx, %vx : vector<4x8xf16>
  %r63 = arith.subf %x, %x : f32
  %r64 = arith.subf %vx, %vx : vector<4x8xf16>
  %r65 = arith.mulf %x, %x : f32
  %r66 = arith.mulf %vx, %vx : vector<4x8xf16>
  %r67 = arith.divf %x, %x : f32
  %r68 = arith.divf %vx, %vx : vector<4x8xf16>
  %r69 = arith.remf %x, %x : f32
  %r70 = arith.remf %vx, %vx : vector<4x8xf16>
  %r71 = arith.minimumf %x, %x : f32
  %r72 = arith.minimumf %vx, %vx : vector<4x8xf16>
  %r73 = arith.maximumf %x, %x : f32
  %r74 = arith.maximumf %vx, %vx : vector<4x8xf16>
  %r75 = arith.minnumf %x, %x : f32
  %r76 = arith.minnumf %vx, %vx : vector<4x8xf16>
  %r77 = arith.maxnumf %x, %x : f32
  %r78 = arith.maxnumf %vx, %vx : vector<4x8xf16>
  %r79 = arith.negf %x : f32
  %r80 = arith.negf %vx : vector<4x8xf16>
  return
}
func.func @comparisons(%i: i32, %x: f32, %vx: vector<8xf16>, %vi: vector<8xi8>, %c: i1) {
  %r81 = arith.cmpi eq, %i, %i : i32
  %r82 = arith.cmpi ne, %i, %i : i32
  %r83 = arith.cmpi slt, %i, %i : i32
  %r84 = arith.cmpi sle, %i, %i : i32
  %r85 = arith.cmpi sgt, %i, %i : i32
  %r86 = arith.cmpi sge, %i, %i : i32
  %r87 = arith.cmpi ult, %i, %i : i32
  %r88 = arith.cmpi ule, %i, %i : i32
  %r89 = arith.cmpi ugt, %i, %i : i32
  %r90 = arith.cmpi uge, %i, %i : i32
  %r91 = arith.cmpf false, %x, %x : f32
  %r92 = arith.cmpf oeq, %x, %x : f32
  %r93 = arith.cmpf ogt, %x, %x : f32
  %r94 = arith.cmpf oge, %x, %x : f32
  %r95 = arith.cmpf olt, %x, %x : f32
  %r96 = arith.cmpf ole, %x, %x : f32
  %r97 = arith.cmpf one, %x, %x : f32
  %r98 = arith.cmpf ord, %x, %x : f32
  %r99 = arith.cmpf ueq, %x, %x : f32
  %r100 = arith.cmpf ugt, %x, %x : f32
  %r101 = arith.cmpf uge, %x, %x : f32
  %r102 = arith.cmpf ult, %x, %x : f32
  %r103 = arith.cmpf ule, %x, %x : f32
  %r104 = arith.cmpf une, %x, %x : f32
  %r105 = arith.cmpf uno, %x, %x : f32
  %r106 = arith.cmpf true, %x, %x : f32
  %m = arith.cmpf ogt, %vx, %vx : vector<8xf16>
  %r107 = arith.cmpi slt, %vi, %vi : vector<8xi8>
  %r108 = arith.select %c, %x, %x : f32
  %r109 = arith.select %m, %vx, %vx : vector<8xi1>, vector<8xf16>
  %r110 = arith.select %c, %vx, %vx : vector<8xf16>
  %r111 = arith.select %c, %i, %i : i32
  return
}
func.func @choices(%c: i1, %n: index) {
  %0 = arith.select %c, %n, %n : index
  return
}
func.func @casts(%x: f32, %h: f16, %i: i32, %b: i8, %n: index, %vx: vector<8xf32>) {
  %r112 = arith.truncf %x : f32 to f16
  %r113 = arith.truncf %vx : vector<8xf32> to vector<8xbf16>
  %r114 = arith.extf %h : f16 to f32
  %r115 = arith.trunci %i : i32 to i8
  %r116 = arith.extsi %b : i8 to i32
  %r117 = arith.extui %b : i8 to i32
  %r118 = arith.sitofp %i : i32 to f32
  %r119 = arith.uitofp %i : i32 to f32
  %r120 = arith.fptosi %x : f32 to i32
  %r121 = arith.fptoui %x : f32 to i8
  %r122 = arith.fptosi %vx : vector<8xf32> to vector<8xi32>
  %r123 = arith.index_cast %n : index to i32
  %r124 = arith.index_cast %i : i32 to index
  %r125 = arith.bitcast %x : f32 to i32
  %r126 = arith.bitcast %vx : vector<8xf32> to vector<8xi32>
  return
}
func.func @functions(%x: f32, %vx: vector<8x16xf16>, %i: i32) {
  %r127 = math.exp %x : f32
  %r128 = math.exp %vx : vector<8x16xf16>
  %r129 = math.exp2 %x : f32
  %r130 = math.exp2 %vx : vector<8x16xf16>
  %r131 = math.log %x : f32
  %r132 = math.log %vx : vector<8x16xf16>
  %r133 = math.log2 %x : f32
  %r134 = math.log2 %vx : vector<8x16xf16>
  %r135 = math.sqrt %x : f32
  %r136 = math.sqrt %vx : vector<8x16xf16>
  %r137 = math.rsqrt %x : f32
  %r138 = math.rsqrt %vx : vector<8x16xf16>
  %r139 = math.tanh %x : f32
  %r140 = math.tanh %vx : vector<8x16xf16>
  %r141 = math.erf %x : f32
  %r142 = math.erf %vx : vector<8x16xf16>
  %r143 = math.sin %x : f32
  %r144 = math.sin %vx : vector<8x16xf16>
  %r145 = math.cos %x : f32
  %r146 = math.cos %vx : vector<8x16xf16>
  %r147 = math.absf %x : f32
  %r148 = math.absf %vx : vector<8x16xf16>
  %r149 = math.floor %x : f32
  %r150 = math.floor %vx : vector<8x16xf16>
  %r151 = math.ceil %x : f32
  %r152 = math.ceil %vx : vector<8x16xf16>
  %r153 = math.expm1 %x : f32
  %r154 = math.expm1 %vx : vector<8x16xf16>
  %r155 = math.log10 %x : f32
  %r156 = math.log10 %vx : vector<8x16xf16>
  %r157 = math.log1p %x : f32
  %r158 = math.log1p %vx : vector<8x16xf16>
  %r159 = math.sinh %x : f32
  %r160 = math.sinh %vx : vector<8x16xf16>
  %r161 = math.atan %x : f32
  %r162 = math.atan %vx : vector<8x16xf16>
  %r163 = math.round %x : f32
  %r164 = math.round %vx : vector<8x16xf16>
  %r165 = math.roundeven %x : f32
  %r166 = math.roundeven %vx : vector<8x16xf16>
  %r167 = math.trunc %x : f32
  %r168 = math.trunc %vx : vector<8x16xf16>
  %r169 = math.powf %x, %x : f32
  %r170 = math.fma %x, %x, %x : f32
  %r171 = math.fma %vx, %vx, %vx : vector<8x16xf16>
  %r172 = math.absi %i : i32
  return
}
func.func @flags(%i: i32, %x: f32) {
  %r173 = arith.addi %i, %i overflow<nsw> : i32
  %r174 = arith.addi %i, %i overflow<nsw, nuw> : i32
  %r175 = arith.subi %i, %i overflow<nuw> : i32
  %r176 = arith.muli %i, %i overflow<nsw> : i32
  %r177 = arith.shli %i, %i overflow<nsw, nuw> : i32
  %r178 = arith.trunci %i overflow<nsw> : i32 to i8
  %r179 = arith.divsi %i, %i exact : i32
  %r180 = arith.divui %i, %i exact : i32
  %r181 = arith.shrsi %i, %i exact : i32
  %r182 = arith.shrui %i, %i exact : i32
  %r183 = arith.addf %x, %x fastmath<fast> : f32
  %r184 = arith.subf %x, %x fastmath<nnan,ninf> : f32
  %r185 = arith.mulf %x, %x fastmath<contract> : f32
  %r186 = arith.divf %x, %x fastmath<arcp> : f32
  %r187 = arith.negf %x fastmath<nsz> : f32
  %r188 = arith.maximumf %x, %x fastmath<reassoc> : f32
  %r189 = arith.cmpf ogt, %x, %x fastmath<nnan> : f32
  %r190 = arith.extf %x fastmath<fast> : f32 to f64
  %r191 = arith.truncf %x to_nearest_even : f32 to f16
  %r192 = arith.truncf %x to_nearest_even fastmath<fast> : f32 to f16
  %r193 = math.exp %x fastmath<afn> : f32
  %r194 = math.fma %x, %x, %x fastmath<fast> : f32
  return
}
func.func @vectors(%v: vector<8x16xf32>, %w: vector<32x16xf32>, %x: f32, %i: index, %j: index, %row: vector<1x16xf32>, %column: vector<8x1xf32>, %line: vector<16xf32>, %n: index, %vn: vector<8xindex>) {
  %0 = vector.extract %v[%i, %j] : f32 from vector<8x16xf32>
  %1 = vector.extract %v[0, 3] : f32 from vector<8x16xf32>
  %2 = vector.extract %v[%i, 3] : f32 from vector<8x16xf32>
  %3 = vector.extract %line[%i] : f32 from vector<16xf32>
  %4 = vector.insert %x, %v[%i, %j] : f32 into vector<8x16xf32>
  %5 = vector.insert %x, %line[2] : f32 into vector<16xf32>
  %6 = vector.insert %n, %vn[%i] : index into vector<8xindex>
  %7 = vector.shape_cast %v : vector<8x16xf32> to vector<1x128xf32>
  %8 = vector.create_mask %i, %j : vector<8x16xi1>
  %9 = vector.create_mask %i : vector<16xi1>
  %10 = vector.extract_strided_slice %w {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf32> to vector<8x16xf32>
  %11 = vector.insert_strided_slice %v, %w {offsets = [8, 0], strides = [1, 1]} : vector<8x16xf32> into vector<32x16xf32>
  %12 = vector.broadcast %x : f32 to vector<8x16xf32>
  %13 = vector.broadcast %row : vector<1x16xf32> to vector<8x16xf32>
  %14 = vector.broadcast %column : vector<8x1xf32> to vector<8x16xf32>
  %15 = vector.broadcast %line : vector<16xf32> to vector<8x16xf32>
  %16 = vector.transpose %v, [1, 0] : vector<8x16xf32> to vector<16x8xf32>
  %17 = vector.step : vector<8xindex>
  return
}
func.func @memory(%a: memref<16x32xf32>, %b: memref<4x8xf32, strided<[16, 1]>>, %c: memref<8x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, %d: memref<4096xf32>, %n: memref<8xindex>, %i: index) {
  %c0 = arith.constant 0 : index
  %0 = memref.dim %a, %c0 : memref<16x32xf32>
  %1 = memref.load %a[%i, %c0] : memref<16x32xf32>
  memref.store %1, %a[%i, %i] : memref<16x32xf32>
  %2 = memref.cast %d : memref<4096xf32> to memref<?xf32>
  %3 = memref.load %b[%i, %c0] : memref<4x8xf32, strided<[16, 1]>>
  %4 = memref.load %c[%i, %c0] : memref<8x4xf32, affine_map<(d0, d1) -> (d1, d0)>>
  memref.store %0, %n[%i] : memref<8xindex>
  return
}
func.func @open(%a: memref<?x?xf32>, %e: memref<4x8xf16, strided<[?, 1], offset: ?>>, %i: index) {
  %c0 = arith.constant 0 : index
  %0 = memref.dim %a, %c0 : memref<?x?xf32>
  %1 = memref.load %a[%i, %c0] : memref<?x?xf32>
  memref.store %1, %a[%i, %0] : memref<?x?xf32>
  %2 = memref.load %e[%i, %c0] : memref<4x8xf16, strided<[?, 1], offset: ?>>
  return
}
func.func @one(%x: f32) -> f32 {
  return %x : f32
}
func.func @two(%x: f32, %i: i32) -> (f32, i32) {
  return %x, %i : f32, i32
}
func.func @none(%x: f32) {
  return
}
func.func @calls(%x: f32, %i: i32) -> (f32, i32) {
  %0 = func.call @one(%x) : (f32) -> f32
  %1:2 = func.call @two(%0, %i) : (f32, i32) -> (f32, i32)
  func.call @none(%1#0) : (f32) -> ()
  return %1#0, %1#1 : f32, i32
}
func.func @control(%lo: index, %hi: index, %st: index, %x: f32, %y: f32, %c: i1, %i: i32, %j: i32, %v: vector<8xf32>) -> (f32, index) {
  %0 = scf.for %k = %lo to %hi step %st iter_args(%s = %x) -> (f32) {
    %s1 = arith.addf %s, %x : f32
    scf.yield %s1 : f32
  }
  scf.for %k = %lo to %hi step %st {
    func.call @none(%0) : (f32) -> ()
  }
  scf.for %k = %i to %j step %i : i32 {
    %s1 = arith.addi %k, %i : i32
  }
  %1:2 = scf.if %c -> (f32, vector<8xf32>) {
    scf.yield %x, %v : f32, vector<8xf32>
  } else {
    scf.yield %y, %v : f32, vector<8xf32>
  }
  scf.if %c {
    func.call @none(%1#0) : (f32) -> ()
  }
  scf.if %c {
    func.call @none(%x) : (f32) -> ()
  } else {
    func.call @none(%y) : (f32) -> ()
  }
  %2:2 = scf.while (%a = %x, %b = %lo) : (f32, index) -> (f32, index) {
    %s1 = arith.cmpi slt, %b, %hi : index
    scf.condition(%s1) %a, %b : f32, index
  } do {
  ^bb0(%a: f32, %b: index):
    %s1 = arith.addf %a, %x : f32
    %s2 = arith.addi %b, %st : index
    scf.yield %s1, %s2 : f32, index
  }
  %3 = scf.while (%b = %lo) : (index) -> f32 {
    %s1 = arith.cmpi slt, %b, %hi : index
    scf.condition(%s1) %x : f32
  } do {
  ^bb0(%a: f32):
    scf.yield %hi : index
  }
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    func.call @none(%3) : (f32) -> ()
    scf.yield
  }
  return %2#0, %2#1 : f32, index
}
